#include "report/event/ids.h"

#include <string_view>

#include "store/sha256.h"

namespace spoor::report {
namespace {

// Returns the first bytes of the digest that are not all zero.
std::string digits_of(std::string_view domain, std::string_view of, std::string_view more,
                      std::size_t count) {
  std::string hex = store::sha256(domain, of, more).hex();
  std::size_t at = 0;
  while (at + 2 * count <= hex.size() && hex.find_first_not_of('0', at) >= at + count) at += count;
  return hex.substr(at, count);
}

}  // namespace

std::string trace_id_of(const store::Oid& root) {
  return digits_of("spoor trace\n", root.view(), {}, 32);
}

std::string run_span_id(const store::Oid& root) {
  return digits_of("spoor run span\n", root.view(), {}, 16);
}

std::string span_id_of(const store::Oid& commit) {
  return digits_of("spoor span\n", commit.view(), {}, 16);
}

std::string call_span_id(const store::Oid& answer, std::int64_t call) {
  return digits_of("spoor call span\n", answer.view(), std::to_string(call), 16);
}

std::string event_id_of(const store::Oid& commit) {
  std::string hex = store::sha256("spoor event\n", commit.view()).hex().substr(0, 32);
  hex[12] = '8';                                              // Version.
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];  // Variant.
  return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' +
         hex.substr(16, 4) + '-' + hex.substr(20);
}

}  // namespace spoor::report
