# Run in new namespaces with the new root as working folder: gives it devices and /proc, enters it,
# and becomes the program of the arguments. Paths are relative until then: the user who builds need
# not be able to walk from / to here.
use strict;
use POSIX ();

my ($bind, $read, $allow, $ignore, $kill) = (4096, 0x20, 0x7fff0000, 0x00050000, 0x80000000);
my $machine = (POSIX::uname())[4];
# System calls of mount and prctl, what the filter takes for native, then chown in all its forms.
my %numbers = (
  x86_64 => [165, 157, 0xC000003E, 92, 93, 94, 260],
  aarch64 => [40, 167, 0xC00000B7, 54, 55],
);
my ($mount, $prctl, $native, @chown) = @{ $numbers{$machine} or die "no numbers for $machine\n" };

for my $name (qw(null zero full random urandom)) {
  open my $file, '>', "dev/$name" or die "dev/$name: $!\n";
  my ($from, $to) = ("/dev/$name", "dev/$name");
  syscall($mount, $from, $to, 0, $bind, 0) == 0 or die "mount $to: $!\n";
}
chroot '.' or die "chroot: $!\n";
chdir '/' or die "chdir: $!\n";
# Not everywhere allowed (a container hides parts of its own), and hardly anything needs it.
my ($proc, $on) = ('proc', '/proc');
syscall($mount, $proc, $on, $proc, 0, 0);

# There is one user here, and packages give files to others: to change an owner succeeds and does
# nothing. Who files belong to is not kept in an image anyway.
my @filter = (
  pack('SCCL', $read, 0, 0, 4), pack('SCCL', 0x15, 1, 0, $native), pack('SCCL', 6, 0, 0, $kill),
  pack('SCCL', $read, 0, 0, 0),
  (map { pack 'SCCL', 0x15, $#chown - $_ + 1, 0, $chown[$_] } 0 .. $#chown),
  pack('SCCL', 6, 0, 0, $allow), pack('SCCL', 6, 0, 0, $ignore),
);
my $code = join '', @filter;
my $program = pack 'Sx6P', scalar @filter, $code;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "seccomp: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
