// Any bytes, read as each of the strict texts: what parses prints back to itself, and
// what is said to be corrupt says why.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/attest.h"
#include "store/blob.h"
#include "store/bundle.h"
#include "store/commit.h"
#include "store/commit_head.h"
#include "store/operation.h"
#include "store/rope.h"
#include "store/tag.h"
#include "store/tombstone.h"

using namespace spoor;
using namespace spoor::store;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

const std::string& text_of(const std::string& text) { return text; }
const std::string& text_of(const Result<std::string>& text) { return text.value(); }

template <class Parsed>
void check(const Result<Parsed>& parsed, std::string_view text) {
  if (parsed) {
    require(text_of(serialize(parsed.value())) == text);
  } else {
    require(parsed.error().code == Error::Code::corrupt);
    require(!parsed.error().message.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto commit = parse_commit(text);
  check(commit, text);
  check(parse_operation(text), text);
  check(parse_bundle(text), text);
  check(parse_tag(text), text);
  check(parse_tombstone(text), text);
  check(parse_attest(text), text);
  if (const auto rope = parse_rope(text)) require(serialize(rope.value()) == text);
  if (const auto chunks = parse_chunks(text)) require(serialize(chunks.value()) == text);

  // The few lines that a store reads of a commit without parsing it.
  if (commit) {
    const auto& parents = commit->parents;
    const auto first = parents.empty() ? std::nullopt : std::optional(parents[0]);
    require(first_parent_of(text) == first);
  } else {
    first_parent_of(text);
  }
  const auto content = content_of(text);
  if (commit && commit->content) require(content == commit->content->oid);
  return 0;
}
