#include "egress.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include <netinet/in.h>

namespace causeway {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kLongestWait = 60 * kNanosPerSecond;

bool AreIn(const std::vector<Net>& nets, const Address& address) {
  return std::any_of(nets.begin(), nets.end(), [&](const Net& net) { return net.Holds(address); });
}

}  // namespace

std::optional<Address> AddressOf(const sockaddr* address, socklen_t size) {
  Address bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    memcpy(&bytes[12], &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 4);
    return bytes;
  }
  if (address->sa_family != AF_INET6 || size < sizeof(sockaddr_in6)) return {};
  memcpy(&bytes[0], &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, 16);
  return bytes;
}

bool Net::Holds(const Address& other) const {
  const bool is_v4 = IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(other.data()));
  const int whole = prefix / 8, rest = prefix % 8;
  if (is_v4 && prefix < kMappedBits) return false;
  if (!std::equal(address.begin(), address.begin() + whole, other.begin())) return false;
  return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0;
}

int64_t Egress::Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

Egress::Egress(int64_t interval, int64_t burst)
    : interval_(interval), tolerance_(interval * (burst - 1)) {
  allows = [](causeway_egress* self, const sockaddr* address, socklen_t size) {
    return static_cast<Egress*>(self)->Allows(AddressOf(address, size));
  };
  take = [](causeway_egress* self, const sockaddr* address, socklen_t size) {
    return static_cast<Egress*>(self)->Take(AddressOf(address, size), Now());
  };
}

bool Egress::Allows(const std::optional<Address>& address) const {
  return address && (!AreIn(refused, *address) || AreIn(opened, *address));
}

int64_t Egress::Take(const std::optional<Address>& address, int64_t now) {
  const bool is_allowed = Allows(address);
  const std::lock_guard lock(mutex_);
  const bool is_admitted = is_allowed && IsAdmitted(*address, now);
  const int64_t wait = is_allowed && !is_admitted ? Reserve(now) : 0;
  if (wait > kLongestWait) return -1;
  refusals_ += !is_allowed;
  admissions_ += is_admitted;
  waits_ += wait > 0;
  return is_allowed ? (wait + kNanosPerMilli - 1) / kNanosPerMilli : -1;
}

// A token bucket as one number (GCRA): each connection puts the next one off, and the burst is by how
// much.
int64_t Egress::Reserve(int64_t now) {
  const int64_t turn = std::max(next_, now);
  const int64_t wait = std::max<int64_t>(turn - tolerance_ - now, 0);
  // A place in the line is never given back, so the line itself must end somewhere.
  if (wait <= kLongestWait) next_ = turn + interval_;
  return wait;
}

bool Egress::IsAdmitted(const Address& address, int64_t now) const {
  const auto found = admitted_.find(address);
  return found != admitted_.end() && found->second > now;
}

void Egress::Admit(const Address& address, int64_t until, int64_t now) {
  const std::lock_guard lock(mutex_);
  if (admitted_.size() >= most_kept_) ForgetExpired(now);
  admitted_[address] = until;
}

void Egress::ForgetExpired(int64_t now) {
  for (auto at = admitted_.begin(); at != admitted_.end();) {
    at = at->second > now ? std::next(at) : admitted_.erase(at);
  }
  most_kept_ = std::max<size_t>(64, 2 * admitted_.size());
}

std::array<uint64_t, 3> Egress::counters() {
  const std::lock_guard lock(mutex_);
  return {admissions_, waits_, refusals_};
}

}  // namespace causeway
