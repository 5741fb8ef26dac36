#include "inverse.h"

#include "bytes.h"

namespace causeway {
namespace {

// Signed numbers of up to 310 bits: value = sum of limb[i] * 2^(62 i). Between steps, all limbs but
// the highest are from 0 to 2^62 - 1.
constexpr int kLimbs = 5;
constexpr int kLimbBits = 62;
constexpr uint64_t kLimbMask = (uint64_t{1} << kLimbBits) - 1;

using Wide = __int128;

struct Number {
  int64_t limb[kLimbs];
};

// n, and the inverse of n modulo 2^62.
constexpr Number kOrder = {{0x33b9cac2fc632551, 0x339beab69c5e7a13, 0x3ffffffffffffffb, 0x3fffffc00000003f, 0xff}};
constexpr uint64_t kOrderInverse = 0x332e375511ff43b1;

// The effect of 62 division steps on (f, g), times 2^62.
struct Transition {
  int64_t u, v, q, r;
};

// Hides a mask's value from the compiler, which would turn it into a branch.
int64_t Opaque(int64_t mask) {
  __asm__("" : "+r"(mask));
  return mask;
}

// 62 steps on the low bits of f and g. zeta is -(delta + 1/2); delta starts at 1/2, for which 590
// steps are proven to suffice for 256 bits.
int64_t DivisionSteps(int64_t zeta, uint64_t f, uint64_t g, Transition* transition) {
  uint64_t u = 1, v = 0, q = 0, r = 1;
  for (int step = 0; step < kLimbBits; step++) {
    const uint64_t is_positive = static_cast<uint64_t>(Opaque(zeta >> 63));
    const uint64_t is_odd = static_cast<uint64_t>(Opaque(-static_cast<int64_t>(g & 1)));
    // g odd: g + f, or g - f where delta is positive.
    g += ((f ^ is_positive) - is_positive) & is_odd;
    q += ((u ^ is_positive) - is_positive) & is_odd;
    r += ((v ^ is_positive) - is_positive) & is_odd;
    // If both are set, f becomes the old g.
    const uint64_t swaps = is_positive & is_odd;
    zeta = (zeta ^ static_cast<int64_t>(swaps)) - 1;
    f += g & swaps;
    u += q & swaps;
    v += r & swaps;
    g >>= 1;
    u <<= 1;
    v <<= 1;
  }
  *transition = {static_cast<int64_t>(u), static_cast<int64_t>(v), static_cast<int64_t>(q),
                 static_cast<int64_t>(r)};
  return zeta;
}

int64_t LowBits(Wide sum) { return static_cast<int64_t>(static_cast<uint64_t>(sum) & kLimbMask); }

// (f, g) = transition * (f, g) / 2^62, which is exact.
void UpdateFG(const Transition& t, Number* f, Number* g) {
  Wide f_sum = static_cast<Wide>(t.u) * f->limb[0] + static_cast<Wide>(t.v) * g->limb[0];
  Wide g_sum = static_cast<Wide>(t.q) * f->limb[0] + static_cast<Wide>(t.r) * g->limb[0];
  for (int i = 1; i < kLimbs; i++) {
    f_sum >>= kLimbBits;
    g_sum >>= kLimbBits;
    const int64_t f_limb = f->limb[i], g_limb = g->limb[i];
    f_sum += static_cast<Wide>(t.u) * f_limb + static_cast<Wide>(t.v) * g_limb;
    g_sum += static_cast<Wide>(t.q) * f_limb + static_cast<Wide>(t.r) * g_limb;
    f->limb[i - 1] = LowBits(f_sum);
    g->limb[i - 1] = LowBits(g_sum);
  }
  f->limb[kLimbs - 1] = static_cast<int64_t>(f_sum >> kLimbBits);
  g->limb[kLimbs - 1] = static_cast<int64_t>(g_sum >> kLimbBits);
}

// The multiple of n that makes the sum's low bits zero, plus one n where a factor is negative.
int64_t Correction(int64_t multiple, Wide sum) {
  const uint64_t low = kOrderInverse * static_cast<uint64_t>(sum) + static_cast<uint64_t>(multiple);
  return multiple - static_cast<int64_t>(low & kLimbMask);
}

// (d, e) = transition * (d, e) / 2^62 modulo n; both stay between -2n and n.
void UpdateDE(const Transition& t, Number* d, Number* e) {
  const int64_t d_sign = d->limb[kLimbs - 1] >> 63, e_sign = e->limb[kLimbs - 1] >> 63;
  Wide d_sum = static_cast<Wide>(t.u) * d->limb[0] + static_cast<Wide>(t.v) * e->limb[0];
  Wide e_sum = static_cast<Wide>(t.q) * d->limb[0] + static_cast<Wide>(t.r) * e->limb[0];
  const int64_t d_fix = Correction((t.u & d_sign) + (t.v & e_sign), d_sum);
  const int64_t e_fix = Correction((t.q & d_sign) + (t.r & e_sign), e_sum);
  d_sum += static_cast<Wide>(kOrder.limb[0]) * d_fix;
  e_sum += static_cast<Wide>(kOrder.limb[0]) * e_fix;
  for (int i = 1; i < kLimbs; i++) {
    d_sum >>= kLimbBits;
    e_sum >>= kLimbBits;
    const int64_t d_limb = d->limb[i], e_limb = e->limb[i];
    d_sum += static_cast<Wide>(t.u) * d_limb + static_cast<Wide>(t.v) * e_limb;
    e_sum += static_cast<Wide>(t.q) * d_limb + static_cast<Wide>(t.r) * e_limb;
    d_sum += static_cast<Wide>(kOrder.limb[i]) * d_fix;
    e_sum += static_cast<Wide>(kOrder.limb[i]) * e_fix;
    d->limb[i - 1] = LowBits(d_sum);
    e->limb[i - 1] = LowBits(e_sum);
  }
  d->limb[kLimbs - 1] = static_cast<int64_t>(d_sum >> kLimbBits);
  e->limb[kLimbs - 1] = static_cast<int64_t>(e_sum >> kLimbBits);
}

// Moves each limb's excess or deficit to the next limb.
void Carry(Number* number) {
  for (int i = 0; i + 1 < kLimbs; i++) {
    number->limb[i + 1] += number->limb[i] >> kLimbBits;
    number->limb[i] &= static_cast<int64_t>(kLimbMask);
  }
}

void AddOrderIf(int64_t mask, Number* number) {
  mask = Opaque(mask);
  for (int i = 0; i < kLimbs; i++) number->limb[i] += kOrder.limb[i] & mask;
  Carry(number);
}

// d * sign, from -2n..n to 0..n - 1. `sign` is 0 or -1.
void Normalize(int64_t sign, Number* d) {
  AddOrderIf(d->limb[kLimbs - 1] >> 63, d);
  sign = Opaque(sign);
  for (int i = 0; i < kLimbs; i++) d->limb[i] = (d->limb[i] ^ sign) - sign;
  Carry(d);
  AddOrderIf(d->limb[kLimbs - 1] >> 63, d);
}

Number FromBytes(const uint8_t* bytes) {
  Number number{};
  for (int bit = 0; bit < 256; bit += 8) {
    const uint64_t byte = bytes[31 - bit / 8];
    const int limb = bit / kLimbBits, shift = bit % kLimbBits;
    number.limb[limb] |= static_cast<int64_t>((byte << shift) & kLimbMask);
    if (shift > kLimbBits - 8) number.limb[limb + 1] |= static_cast<int64_t>(byte >> (kLimbBits - shift));
  }
  return number;
}

void ToBytes(const Number& number, uint8_t* into) {
  for (int bit = 0; bit < 256; bit += 8) {
    const int limb = bit / kLimbBits, shift = bit % kLimbBits;
    uint64_t byte = static_cast<uint64_t>(number.limb[limb]) >> shift;
    if (shift > kLimbBits - 8) byte |= static_cast<uint64_t>(number.limb[limb + 1]) << (kLimbBits - shift);
    into[31 - bit / 8] = static_cast<uint8_t>(byte);
  }
}

}  // namespace

void InvertModP256Order(const uint8_t* number, uint8_t* into) {
  Number d{}, e{{1}}, f = kOrder, g = FromBytes(number);
  Transition transition;
  int64_t zeta = -1;
  // 620 steps; those beyond the 590 change nothing.
  for (int batch = 0; batch < 10; batch++) {
    zeta = DivisionSteps(zeta, static_cast<uint64_t>(f.limb[0]), static_cast<uint64_t>(g.limb[0]),
                         &transition);
    UpdateDE(transition, &d, &e);
    UpdateFG(transition, &f, &g);
  }
  // Now f is 1 or -1, and d is f's sign times the inverse.
  Normalize(f.limb[kLimbs - 1] >> 63, &d);
  ToBytes(d, into);
  for (Number* secret : {&d, &e, &f, &g}) OPENSSL_cleanse(secret, sizeof *secret);
  OPENSSL_cleanse(&transition, sizeof transition);
}

}  // namespace causeway
