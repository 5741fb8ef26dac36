#include "derivation.h"

#include <cstring>

#include <openssl/obj_mac.h>

#include "hmac.h"
#include "openssl.h"

namespace causeway {
namespace {

constexpr uint8_t kSalt[] = {'b', 'r', 'i', 'd', 'g', 'e', '-', 'k', 'e', 'y', 's', '/', 'v', '1'};

// u32 big-endian length || bytes; the labels here are shorter than 256 bytes.
void AppendLabel(const char* label, std::string* info) {
  info->append(3, '\0');
  info->push_back(static_cast<char>(strlen(label)));
  info->append(label);
}

}  // namespace

void DeriveBytes(const uint8_t* root, Bytes info, uint8_t* into, size_t size) {
  Hkdf({root, kRootBytes}, {kSalt, sizeof kSalt}, info, into, size);
}

std::string DerivationInfo(Bytes prefix, const char* purpose, const char* algorithm) {
  std::string info(reinterpret_cast<const char*>(prefix.data), prefix.size);
  AppendLabel(purpose, &info);
  AppendLabel(algorithm, &info);
  return info;
}

bool ToScalar(Bytes material, Curve curve, uint8_t* into) {
  const int name = curve == Curve::kP256 ? NID_X9_62_prime256v1 : NID_secp256k1;
  const Owned<EC_GROUP> group(EC_GROUP_new_by_curve_name(name));
  const Owned<BIGNUM> divisor(BN_dup(EC_GROUP_get0_order(group.get())));
  const Owned<BN_CTX> context(BN_CTX_new());
  const Owned<BIGNUM> number(BN_new());
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return BN_sub_word(divisor.get(), 1) &&
         BN_bin2bn(material.data, static_cast<int>(material.size), number.get()) &&
         BN_nnmod(number.get(), number.get(), divisor.get(), context.get()) &&
         BN_add_word(number.get(), 1) && BN_bn2binpad(number.get(), into, 32) == 32;
}

}  // namespace causeway
