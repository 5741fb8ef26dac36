{
  "variables": {
    # Warnings are errors in every target: these programs stand between a job and its host.
    "strict_warnings": ["-Wall", "-Wextra", "-Werror"]
  },
  "targets": [
    {
      # The addon: syscall wrappers for the TypeScript face in src/index.ts.
      "target_name": "bridge_native",
      "sources": [
        "src/addon/addon.cc",
        "src/addon/socket.cc",
        "src/addon/descriptor.cc",
        "src/addon/process.cc",
        "src/addon/network.cc",
        "src/addon/segments.cc",
        "src/addon/tcp.cc",
        "src/handles/network.cc",
        "src/handles/egress.cc",
        "src/handles/egress-binding.cc",
        "src/engine/process.cc",
        "src/engine/members.cc",
        "src/engine/admission.cc",
        "src/engine/connections.cc",
        "src/engine/line.cc",
        "src/engine/engine.cc",
        "src/engine/exchange.cc",
        "src/engine/loop.cc",
        "src/engine/options.cc",
        "src/engine/text.cc",
        "src/engine/binding.cc",
        "src/engine/peer-judge.cc"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=9",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        "NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "cflags": ["<@(strict_warnings)", "-fvisibility=hidden"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "cflags_cc": ["-std=c++17"],
      # Other addons may hold handles for longer than the thread of Node that loaded this.
      "ldflags": ["-Wl,-z,nodelete"]
    },
    {
      # Keys and the audit log's hash chain, on the OpenSSL that Node's own binary exports and on
      # Debian's libsecp256k1: the shared one, because the static one is not position-independent.
      # Every symbol is bound when it is loaded, so that a Node without one is known at start.
      "target_name": "bridge_signer",
      "sources": [
        "src/signer/addon.cc",
        "src/signer/wipe-stack.cc",
        "src/signer/hmac.cc",
        "src/signer/secret-memory.cc",
        "src/signer/nonce.cc",
        "src/signer/inverse.cc",
        "src/signer/p256.cc",
        "src/signer/secp256k1.cc",
        "src/signer/ed25519.cc",
        "src/signer/hd.cc",
        "src/signer/cipher.cc",
        "src/signer/derivation.cc",
        "src/signer/keys.cc",
        "src/handles/signer-handle.cc",
        "src/signer/binding.cc",
        "src/signer/audit-chain.cc",
        "src/signer/audit-binding.cc"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=9",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        "NODE_ADDON_API_DISABLE_CPP_EXCEPTIONS",
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
        # The low-level hashes and EC_KEY are deprecated in OpenSSL 3, and they are what a call of a
        # few microseconds can afford: each EVP call looks up its provider first.
        "OPENSSL_SUPPRESS_DEPRECATED"
      ],
      "cflags": ["<@(strict_warnings)", "-fvisibility=hidden"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "cflags_cc": ["-std=c++17"],
      "ldflags": ["-Wl,-z,now,-z,nodelete,--exclude-libs,ALL"],
      "libraries": ["-lsecp256k1"]
    },
    {
      # Preloaded into guests, glibc or musl: so it must need no library at all.
      "target_name": "causeway-ifaddrs",
      "type": "shared_library",
      "product_prefix": "lib",
      "product_extension": "so",
      "product_dir": "<(PRODUCT_DIR)",
      "sources": ["src/ifaddrs/loopback.c"],
      "cflags": [
        "<@(strict_warnings)",
        "-std=c11",
        "-fPIC",
        "-ffreestanding",
        "-fno-stack-protector",
        "-fvisibility=hidden"
      ],
      "cflags!": ["-pthread"],
      "ldflags!": ["-pthread", "-rdynamic"],
      "ldflags": [
        "-nostdlib",
        "-Wl,--hash-style=both,-z,relro,-z,now,-z,noexecstack,--build-id=none"
      ]
    },
    {
      # Runs inside the guest's root, whatever libc that has: static, without any libc.
      "target_name": "bridge-guest-init",
      "type": "executable",
      "sources": [
        "src/guest-init/main.c",
        "src/guest-init/environment.c",
        "src/guest-init/filter.c",
        "src/guest-init/record.c",
        "src/guest-init/shield.c",
        "src/guest-init/start.c",
        "src/guest-init/wait.c"
      ],
      "cflags": [
        "<@(strict_warnings)",
        "-std=gnu11",
        "-ffreestanding",
        "-fno-stack-protector",
        "-fno-pie",
        "-fno-asynchronous-unwind-tables",
        "-fno-tree-loop-distribute-patterns"
      ],
      "cflags!": ["-pthread"],
      "ldflags!": ["-pthread", "-rdynamic"],
      "ldflags": ["-nostdlib", "-static", "-no-pie", "-Wl,-z,noexecstack,--build-id=none"]
    },
    {
      # Runs as a job before the first one: whose files does it see? Static, without any libc.
      "target_name": "bridge-canary",
      "type": "executable",
      "sources": ["src/canary/main.c"],
      "cflags": [
        "<@(strict_warnings)",
        "-std=gnu11",
        "-ffreestanding",
        "-fno-stack-protector",
        "-fno-pie",
        "-fno-asynchronous-unwind-tables",
        "-fno-tree-loop-distribute-patterns"
      ],
      "cflags!": ["-pthread"],
      "ldflags!": ["-pthread", "-rdynamic"],
      "ldflags": ["-nostdlib", "-static", "-no-pie", "-Wl,-z,noexecstack,--build-id=none"]
    },
    {
      # Extracts images; static, so that nothing on the host can be preloaded into it.
      "target_name": "bridge-unpack",
      "type": "executable",
      "sources": [
        "src/confine/inheritance.c",
        "src/confine/credentials.c",
        "src/confine/resources.c",
        "src/confine/ruleset.c",
        "src/confine/bpf.c",
        "src/unpack/main.c",
        "src/unpack/options.c",
        "src/unpack/fail.c",
        "src/unpack/hygiene.c",
        "src/unpack/landlock.c",
        "src/unpack/filter.c",
        "src/unpack/decoder.c",
        "src/unpack/tar/input.c",
        "src/unpack/tar/numbers.c",
        "src/unpack/tar/header.c",
        "src/unpack/tar/extension.c",
        "src/unpack/tar/pax.c",
        "src/unpack/tar/names.c",
        "src/unpack/tar/wrapper.c",
        "src/unpack/tar/entry.c",
        "src/unpack/tar/archive.c",
        "src/unpack/tree/resolve.c",
        "src/unpack/tree/records.c",
        "src/unpack/tree/folders.c",
        "src/unpack/tree/files.c"
      ],
      "cflags": ["<@(strict_warnings)", "-std=gnu11"],
      "cflags!": ["-pthread"],
      "ldflags!": ["-pthread", "-rdynamic"],
      "ldflags": ["-static", "-Wl,-z,noexecstack,--build-id=none"]
    },
    {
      # Confines and starts a job; static, so that nothing on the host can be preloaded into it.
      "target_name": "bridge-launch",
      "type": "executable",
      "sources": [
        "src/confine/inheritance.c",
        "src/confine/credentials.c",
        "src/confine/resources.c",
        "src/confine/ruleset.c",
        "src/confine/bpf.c",
        "src/launch/main.c",
        "src/launch/options.c",
        "src/launch/fail.c",
        "src/launch/control.c",
        "src/launch/lifeline.c",
        "src/launch/namespaces/cgroups.c",
        "src/launch/namespaces/network.c",
        "src/launch/namespaces/id-maps.c",
        "src/launch/namespaces/namespaces.c",
        "src/launch/root/mounts.c",
        "src/launch/root/storage.c",
        "src/launch/root/overlay.c",
        "src/launch/root/devices.c",
        "src/launch/root/stage.c",
        "src/launch/namespaces/identity.c",
        "src/launch/limits/limits.c",
        "src/launch/limits/landlock.c",
        "src/launch/limits/filter.c",
        "src/launch/limits/filter-arguments.c",
        "src/launch/limits/filter-sockets.c",
        "src/launch/hygiene.c",
        "src/launch/descendants.c",
        "src/launch/monitor.c",
        "src/launch/probe.c"
      ],
      "cflags": ["<@(strict_warnings)", "-std=gnu11"],
      "cflags!": ["-pthread"],
      "ldflags!": ["-pthread", "-rdynamic"],
      "ldflags": ["-static", "-Wl,-z,noexecstack,--build-id=none"]
    }
  ]
}
