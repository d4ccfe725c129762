#include "compile/commitment.h"

#include <charconv>

#include <fmt/format.h>

#include "base/byte_size.h"

namespace spoor::compile {
namespace {

constexpr std::string_view kBegin = R"({"bytes":)";
constexpr std::string_view kHash = R"(,"hash":"hmac-sha256:)";
constexpr std::string_view kEnd = R"(","mode":"hashed"})";
constexpr std::size_t kDigits = 64;

}  // namespace

std::string write_commitment(const Commitment& commitment) {
  return fmt::format("{}{}{}{}{}", kBegin, commitment.bytes, kHash, commitment.mac.hex(), kEnd);
}

std::optional<Commitment> read_commitment(std::string_view text) {
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) return std::nullopt;
  Commitment commitment;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + kBegin.size(), last, commitment.bytes);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  if (rest.size() != kHash.size() + kDigits + kEnd.size()) return std::nullopt;
  const auto mac = store::Oid::from_hex(rest.substr(kHash.size(), kDigits));
  if (!mac) return std::nullopt;
  commitment.mac = *mac;
  if (write_commitment(commitment) != text) return std::nullopt;
  return commitment;
}

std::string hashed_words(std::uint64_t bytes) { return "[hashed, " + byte_size(bytes) + "]"; }

std::string shown_text(std::string_view text) {
  const auto commitment = read_commitment(text);
  return commitment ? hashed_words(commitment->bytes) : std::string(text);
}

}  // namespace spoor::compile
