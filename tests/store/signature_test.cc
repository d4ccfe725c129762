// Signatures under names: Ed25519 (RFC 8032).
#include "store/signature.h"

#include <doctest/doctest.h>

#include "store/sha256.h"

using namespace spoor;
using namespace spoor::store;

namespace {

// RFC 8032, 7.1, test 1.
const Oid kSecret =
    *Oid::from_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
const Oid kPublic =
    *Oid::from_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");

}  // namespace

TEST_SUITE("store/signature") {
  TEST_CASE("who signed can be told, and what") {
    const Attest attest = sign(kSecret.view(), sha256("a tombstone")).value();
    CHECK(Oid{attest.key} == kPublic);
    CHECK(is_genuine(attest));
    CHECK(sign(kSecret.view(), sha256("a tombstone")).value() == attest);

    Attest other = attest;
    other.target = sha256("another");
    CHECK_FALSE(is_genuine(other));
    for (std::size_t i = 0; i < attest.sig.size(); ++i) {
      other = attest;
      other.sig[i] = static_cast<std::uint8_t>(other.sig[i] ^ 1U);
      CHECK_FALSE(is_genuine(other));
    }
    other = attest;
    other.key = sha256("somebody else").bytes;
    CHECK_FALSE(is_genuine(other));
    CHECK(parse_attest(serialize(attest)).value() == attest);
  }

  TEST_CASE("a key of another length signs nothing") {
    CHECK(sign("short", sha256("x")).error().code == Error::Code::invalid);
    CHECK_FALSE(sign("", sha256("x")));
  }
}
