#include <doctest/doctest.h>

#include "compile/call_pairs.h"
#include "graph/range.h"

using namespace spoor;
using compile::Entry;
using compile::State;
using store::Oid;
using store::Priority;

namespace {

Oid numbered(std::size_t number) {
  Oid oid;
  for (std::size_t i = 0; i < 4; ++i) {
    oid.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return oid;
}

// `C1` calls 1, `T1` is its result, `u` a user's turn, `P` a pinned one, `r` a skipped.
State state_of(const std::vector<std::string>& words) {
  State state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Entry entry;
    entry.commit = numbered(i + 1);
    compile::Fields fields;
    if (words[i][0] == 'C') {
      entry.type = store::Type::assistant;
      fields.tool_calls = {{{words[i].substr(1), "f", "{}"}}};
    } else if (words[i][0] == 'T') {
      entry.type = store::Type::tool;
      fields.call_id = words[i].substr(1);
    } else if (words[i][0] == 'P') {
      entry.priority = Priority::pinned;
      entry.is_explicit = true;
    } else if (words[i][0] == 'r') {
      entry.priority = Priority::skip;
    }
    entry.fields = std::make_shared<const compile::Fields>(std::move(fields));
    state.append(std::move(entry));
  }
  return state;
}

// The places of what is chosen, from 1 on; or "-" when it is refused.
std::string chosen(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  const auto found = graph::choose(state_of(words), {numbered(from), numbered(to)});
  if (!found) {
    CHECK(found.error().code == spoor::Error::Code::invalid);
    CHECK(!found.error().hint.empty());
    return "-";
  }
  std::string places;
  for (const Oid& target : found->targets) places += std::to_string(target.bytes[0]);
  return places;
}

}  // namespace

TEST_SUITE("graph/range") {
  TEST_CASE("a range is widened to whole calls, and leaves what is pinned") {
    using Words = std::vector<std::string>;
    struct Row {
      Words words;
      std::size_t from;
      std::size_t to;
      std::string_view expected;
    };
    for (const Row& row : {
             Row{{"u", "u", "u"}, 1, 2, "12"},
             Row{{"u", "u", "u"}, 2, 2, "2"},
             Row{{"u", "P", "u"}, 1, 3, "13"},
             Row{{"u", "r", "u"}, 1, 3, "123"},  // What is skipped goes too.
             Row{{"u", "C1", "T1", "u"}, 1, 2, "123"},
             Row{{"u", "C1", "T1", "u"}, 3, 4, "234"},
             Row{{"C1", "C2", "T1", "T2", "u"}, 3, 3, "1234"},
             Row{{"C1", "u", "T1", "C1", "T1"}, 4, 4, "45"},  // A call's id used again.
             Row{{"T9", "u"}, 1, 1, "1"},                     // A result without its call.
             Row{{"C1", "P", "T1"}, 1, 1, "13"},
             Row{{"P", "P"}, 1, 2, "-"},
             Row{{"r"}, 1, 1, "-"},
             Row{{"u", "u"}, 2, 1, "-"},
             Row{{"u"}, 1, 9, "-"},
             Row{{}, 1, 1, "-"},
         }) {
      CAPTURE(row.expected);
      CHECK(chosen(row.words, row.from, row.to) == row.expected);
    }
  }

  TEST_CASE("a call whose result is pinned stays with it") {
    State state = state_of({"u", "C1", "T1", "u"});
    state.annotate({numbered(3)}, Oid{}, Priority::pinned).value();
    const auto found = graph::choose(state, {numbered(1), numbered(4)}).value();
    CHECK(found.targets == std::vector<Oid>{numbered(1), numbered(4)});
    CHECK(found.sources == 2);
    CHECK(found.kept == 2);
  }

  TEST_CASE("a range that is widened step by step costs its length") {
    // Each result stands behind the next call: every step takes in one call more.
    constexpr std::size_t kCalls = 100'000;
    std::vector<std::string> words = {"C0"};
    for (std::size_t i = 1; i < kCalls; ++i) {
      words.push_back("C" + std::to_string(i));
      words.push_back("T" + std::to_string(i - 1));
    }
    words.push_back("T" + std::to_string(kCalls - 1));
    const State state = state_of(words);
    CHECK(graph::choose(state, {numbered(1), numbered(1)}).value().sources == words.size());
    const Oid last = numbered(words.size());
    CHECK(graph::choose(state, {last, last}).value().sources == words.size());
  }

  TEST_CASE("a result belongs to the latest call of its id") {
    const State state = state_of({"T1", "C1", "C1", "T1", "T1"});
    compile::CallPairs pairs;
    std::vector<std::size_t> pieces;
    for (const Entry& entry : state.entries()) {
      const Entry* one = &entry;
      pieces.push_back(pairs.add(std::span(&one, 1)));
    }
    CHECK(pieces == std::vector<std::size_t>{0, 1, 2, 2, 2});
  }
}
