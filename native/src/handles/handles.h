// What another addon in this process is given of a deployment, by way of JavaScript, which sees
// neither the key nor the namespace behind it. The other addon needs this header alone.
//
// Every thread may call every function. A handle that its owner has closed answers -ESHUTDOWN: who
// still holds a reference has no more than its memory.
#ifndef CAUSEWAY_HANDLES_H
#define CAUSEWAY_HANDLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <node_api.h>

// Changes with every change of a struct below.
#define CAUSEWAY_HANDLES_VERSION 1u

struct causeway_handle {
  uint32_t version;
  void (*retain)(struct causeway_handle *self);
  void (*release)(struct causeway_handle *self);
};

// The network of a job: TCP over IPv4 and IPv6. A call enters the job's namespace and comes back
// before it answers. So its thread must not be Node's, must live in Node's network namespace, and
// needs CAP_SYS_ADMIN. It answers a descriptor (non-blocking, close-on-exec), or -errno.
struct causeway_network {
  struct causeway_handle base;
  // Begins to connect.
  int (*connect)(struct causeway_network *self, const struct sockaddr *address, socklen_t size);
  int (*listen)(struct causeway_network *self, const struct sockaddr *address, socklen_t size,
                int backlog);
};

// What a signature is made for.
enum causeway_purpose { CAUSEWAY_REGISTRATION, CAUSEWAY_CERTIFICATE, CAUSEWAY_HANDSHAKE };
enum { CAUSEWAY_PURPOSES = 3 };

// The P-256 signing key of a deployment. A call answers 0 or -errno.
struct causeway_signer {
  struct causeway_handle base;
  // The compressed point.
  int (*public_key)(struct causeway_signer *self, uint8_t into[33]);
  // `r || s` with low s, by RFC 6979.
  int (*sign)(struct causeway_signer *self, enum causeway_purpose purpose,
              const uint8_t digest[32], uint8_t into[64]);
};

// Which addresses a deployment may reach, and how fast; see egress.ts. It is never closed.
struct causeway_egress {
  struct causeway_handle base;
  bool (*allows)(struct causeway_egress *self, const struct sockaddr *address, socklen_t size);
  // Asks for one connection: answers 0, ms to wait before it is opened, or -1: not at all.
  int64_t (*take)(struct causeway_egress *self, const struct sockaddr *address, socklen_t size);
};

static const napi_type_tag causeway_network_tag = {0x3d1f0c7a52e94b86, 0x9b64e1d08f7a2c35};
static const napi_type_tag causeway_signer_tag = {0x7ac84e1950b3d26f, 0x85e2f96c14d7703b};
static const napi_type_tag causeway_egress_tag = {0x1e96b7d34c0852fa, 0xa73c580e6bd1f942};

// In Node's thread: the handle in a value, with a reference for the caller. NULL when the value is
// anything else, or the handle of another version.
static inline void *causeway_take_handle(napi_env env, napi_value value, const napi_type_tag *tag) {
  napi_valuetype type;
  bool is_one = false;
  void *data = NULL;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_external) return NULL;
  if (napi_check_object_type_tag(env, value, tag, &is_one) != napi_ok || !is_one) return NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok) return NULL;
  struct causeway_handle *handle = (struct causeway_handle *)data;
  if (handle->version != CAUSEWAY_HANDLES_VERSION) return NULL;
  handle->retain(handle);
  return handle;
}

#endif
