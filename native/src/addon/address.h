// Addresses of the internet, as socket calls take them.
#ifndef CAUSEWAY_ADDON_ADDRESS_H
#define CAUSEWAY_ADDON_ADDRESS_H

#include <arpa/inet.h>
#include <napi.h>
#include <netinet/in.h>

#include <cstring>

namespace causeway {

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;

  socklen_t size() const { return any.sa_family == AF_INET ? sizeof v4 : sizeof v6; }
};

// Reads a literal IPv4 or IPv6 address; false for every other text.
inline bool ReadAddress(napi_env env, napi_value text, uint16_t port, SocketAddress* into) {
  // No address fills it, so that what does not fit is none, either.
  char name[64];
  size_t length = 0;
  *into = {};
  if (napi_get_value_string_utf8(env, text, name, sizeof name, &length) != napi_ok) return false;
  if (strlen(name) != length) return false;
  const bool is_v4 = inet_pton(AF_INET, name, &into->v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, name, &into->v6.sin6_addr) != 1) return false;
  into->any.sa_family = is_v4 ? AF_INET : AF_INET6;
  (is_v4 ? into->v4.sin_port : into->v6.sin6_port) = htons(port);
  return true;
}

}  // namespace causeway

#endif
