// What a deployment's connections to the internet are held to, whoever opens them.
#ifndef CAUSEWAY_HANDLES_EGRESS_H
#define CAUSEWAY_HANDLES_EGRESS_H

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "counted.h"

namespace causeway {

// IPv6, or IPv4 as the IPv4-mapped address.
using Address = std::array<uint8_t, 16>;
constexpr int kMappedBits = 96;

// None for other families.
std::optional<Address> AddressOf(const sockaddr* address, socklen_t size);

// All addresses with the same first bits. What holds all of IPv4 beside others holds none of it.
struct Net {
  Address address;
  int prefix;

  bool Holds(const Address& other) const;
};

class Egress final : public Counted<causeway_egress, Egress> {
 public:
  // Times are ns of CLOCK_MONOTONIC.
  static int64_t Now();

  // `interval`: between connections at the lasting rate; `burst`: how many at once before it holds.
  Egress(int64_t interval, int64_t burst);

  // Filled before others have it.
  std::vector<Net> refused;
  std::vector<Net> opened;

  bool Allows(const std::optional<Address>& address) const;
  // Answers as causeway_egress.take.
  int64_t Take(const std::optional<Address>& address, int64_t now);
  // Until then connections to it take no part in the rate, whatever was said of it before.
  void Admit(const Address& address, int64_t until, int64_t now);
  // Connections that were admitted, had to wait, were refused.
  std::array<uint64_t, 3> counters();

 private:
  bool IsAdmitted(const Address& address, int64_t now) const;
  int64_t Reserve(int64_t now);
  void ForgetExpired(int64_t now);

  const int64_t interval_;
  const int64_t tolerance_;
  std::mutex mutex_;                     // of what follows
  int64_t next_ = 0;                     // when the next one is due at the lasting rate
  std::map<Address, int64_t> admitted_;  // until when
  size_t most_kept_ = 64;                // before those that have expired are forgotten
  uint64_t admissions_ = 0;
  uint64_t waits_ = 0;
  uint64_t refusals_ = 0;
};

}  // namespace causeway

#endif
