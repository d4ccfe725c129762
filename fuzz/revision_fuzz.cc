// Any bytes as a revision of a small history: it names a commit that is there, or says
// in one of three ways that it does not, and always what to try next. A revision that
// was understood means the same when it is written anew.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/memory_store.h"
#include "store/operation.h"
#include "store/revision.h"
#include "store/tag.h"

using namespace spoor;
using namespace spoor::store;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

// Four turns, a merge of the second into the fourth, a branch, a tag of a tag object.
struct History {
  MemoryStore store;
  Reader reader{store};
  Oid merge;

  History() {
    const NewObject text = encode_content("", Salter()).back();
    store.put(std::array{text}).value();
    std::array<Oid, 4> line;
    for (std::uint64_t i = 0; i < line.size(); ++i) {
      Commit commit{.op = Op::append, .type = Type::user, .depth = i, .gen = i};
      commit.content = Content{text.oid, "text/plain"};
      if (i > 0) commit.parents = {line[i - 1]};
      if (i > 1) commit.skip = line[skip_height(i)];
      line[i] = put(Kind::commit, serialize(commit).value());
    }
    const Commit last{.op = Op::merge,
                      .mode = Mode::append,
                      .parents = {line[3], line[1]},
                      .depth = 4,
                      .gen = 4,
                      .skip = line[skip_height(4)]};
    merge = put(Kind::commit, serialize(last).value());
    const Tag tag{.target = line[2], .name = "v1", .author = "ann", .time = {}, .note = {}};
    const Oid named = put(Kind::tag, serialize(tag).value());
    Transaction transaction;
    transaction.refs = {{"refs/heads/main", std::nullopt, merge},
                        {"refs/tags/v1", std::nullopt, named}};
    transaction.actor = "ann";
    transaction.command = "fuzz";
    transaction.time = Timestamp{1'000'000};
    store.commit(transaction).value();
  }

  Oid put(Kind kind, std::string body) {
    const NewObject object = new_object(kind, std::move(body));
    store.put(std::array{object}).value();
    return object.oid;
  }
};

std::string written(const Revision& revision) {
  std::string text = revision.name;
  if (revision.at) text += "@{" + *revision.at + "}";
  for (const RevisionStep& step : revision.steps) {
    if (step.kind == RevisionStep::Kind::inside) {
      text += "^{" + step.word + "}";
      continue;
    }
    text += step.kind == RevisionStep::Kind::first_parent ? '~' : '^';
    text += std::to_string(step.count);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const History history;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto parsed = parse_revision(text);
  if (parsed) require(parse_revision(written(parsed.value())).value() == parsed.value());
  const auto range = split_range(text);
  if (range) require(range->from + (range->is_symmetric ? "..." : "..") + range->to == text);

  RevisionContext context{.head = history.merge, .head_ref = "refs/heads/main"};
  context.now = Timestamp{5'000'000};
  const auto found = resolve(history.reader, text, context);
  if (found) {
    require((parsed.has_value() || range.has_value()) &&
            history.reader.commit(found.value()).has_value());
    require(resolve(history.reader, found->hex(), {}).value() == found.value());
  } else {
    const Error& error = found.error();
    require(error.code == Error::Code::invalid || error.code == Error::Code::not_found ||
            error.code == Error::Code::ambiguous);
    require(!error.message.empty() && !error.hint.empty());
  }
  return 0;
}
