# Run by /bin/sh inside the new root, as the root of a user namespace without a network.
# Everything is installed at once: all packages have been unpacked before, so the scripts find what
# they call, whatever the order.
set -e
dpkg --force-depends --force-unsafe-io --force-confnew --install /.packages/*.deb
dpkg --audit
missing=$(dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' | grep -v '^ii ' || true)
[ -z "$missing" ] || { echo "not installed: $missing" >&2; exit 1; }
