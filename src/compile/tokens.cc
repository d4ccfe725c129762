#include "compile/tokens.h"

namespace spoor::compile {
namespace {

constexpr std::uint64_t kBytesPerToken = 4;
constexpr std::uint64_t kTokensPerCall = 4;

std::uint64_t tokens_in(std::string_view text) {
  return (text.size() + kBytesPerToken - 1) / kBytesPerToken;
}

}  // namespace

std::uint64_t ByteCounter::count(std::string_view text, const std::vector<ToolCall>* calls) const {
  std::uint64_t tokens = tokens_in(text);
  if (calls == nullptr) return tokens;
  for (const ToolCall& call : *calls) {
    tokens += kTokensPerCall + tokens_in(call.name) + tokens_in(call.arguments);
  }
  return tokens;
}

}  // namespace spoor::compile
