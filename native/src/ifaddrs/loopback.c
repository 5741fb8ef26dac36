// getifaddrs(3) that shows only the loopback interface, preloaded into guests.
//
// It declares its own types instead of using a libc header: the one library is loaded into glibc
// and musl programs, which agree on these layouts. It allocates nothing and needs no symbol.

typedef unsigned char u8;
typedef unsigned short u16;

struct ipv4_address {
  u16 family;
  u8 port[2];
  u8 address[4];
  u8 zero[8];
};

struct ifaddrs {
  struct ifaddrs *next;
  char *name;
  unsigned flags;
  struct ipv4_address *address;
  struct ipv4_address *netmask;
  void *broadcast;
  void *data;
};

enum { FAMILY_INET = 2, UP_LOOPBACK_RUNNING = 0x49 };

#define EXPORTED __attribute__((visibility("default")))

static char name[3];
static struct ipv4_address address, netmask;
static struct ifaddrs loopback;

static void fill_ipv4(struct ipv4_address *into, u8 first, u8 last) {
  into->family = FAMILY_INET;
  into->address[0] = first;
  into->address[3] = last;
}

static void fill_name(void) {
  name[0] = 'l';
  name[1] = 'o';
  name[2] = 0;
}

EXPORTED int getifaddrs(struct ifaddrs **list);
EXPORTED void freeifaddrs(struct ifaddrs *list);

// Fills the list again on every call, because callers may change the list they got.
int getifaddrs(struct ifaddrs **list) {
  fill_name();
  fill_ipv4(&address, 127, 1);
  fill_ipv4(&netmask, 255, 0);
  loopback.next = 0;
  loopback.name = name;
  loopback.flags = UP_LOOPBACK_RUNNING;
  loopback.address = &address;
  loopback.netmask = &netmask;
  loopback.broadcast = 0;
  loopback.data = 0;
  *list = &loopback;
  return 0;
}

// There is nothing to free.
void freeifaddrs(struct ifaddrs *list) {
  (void)list;
}
