#include "store/attest.h"

#include <algorithm>

#include "store/value_reader.h"

namespace spoor::store {
namespace {

// A signature is as long as two names, and is read and written as two.
constexpr std::size_t kHalf = 32;

Oid half_of(const std::array<std::uint8_t, 64>& sig, std::size_t at) {
  Oid half;
  std::copy_n(sig.begin() + static_cast<std::ptrdiff_t>(at), kHalf, half.bytes.begin());
  return half;
}

}  // namespace

std::string serialize(const Attest& attest) {
  std::string out;
  append_line(out, "target", attest.target);
  append_line(out, "key", Oid{attest.key});
  append_line(out, "sig", half_of(attest.sig, 0).hex() + half_of(attest.sig, kHalf).hex());
  return out;
}

Result<Attest> parse_attest(std::string_view body) {
  ValueReader lines(body);
  Attest attest;
  attest.target = lines.needed_oid("target");
  attest.key = lines.needed_oid("key").bytes;
  const std::string_view sig = lines.view("sig").value_or("");
  const auto first = Oid::from_hex(sig.substr(0, 2 * kHalf));
  const auto second = sig.size() == 4 * kHalf ? Oid::from_hex(sig.substr(2 * kHalf)) : std::nullopt;
  if (first && second) {
    std::copy(first->bytes.begin(), first->bytes.end(), attest.sig.begin());
    std::copy(second->bytes.begin(), second->bytes.end(), attest.sig.begin() + kHalf);
  } else {
    lines.fail("sig");
  }
  if (const std::string problem = lines.problem(); !problem.empty()) {
    return corrupt("an attest is malformed: " + problem, "run 'spoor store fsck'");
  }
  return attest;
}

std::string attested_message(const Oid& target) {
  return std::string("spoor1 attest").append(1, '\0').append(target.view());
}

}  // namespace spoor::store
