// Where the lines of an import are placed, and that work grows with their number, not faster.

#include "import/refs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <utility>

#include "tests/import/support.h"

using namespace import_test;
using spoor::import::place_refs;
using spoor::import::TextSource;

namespace {

const std::string kBase = "refs/heads/openai-chat/b73dd1b0";

/// So many conversations that begin alike, so that all of them have one name.
std::string alike(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += R"({"messages":[{"role":"user","content":"same"},{"role":"assistant","content":"a)" +
            std::to_string(i) + "\"}]}\n";
  }
  return text;
}

/// So many exchanges with the Responses API, of which each names the one before as `before` says.
std::string exchanges(int count, const std::function<std::string(int)>& before) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += R"({"object":"response","id":"r)" + number + R"(","previous_response_id":")" +
            before(i) + R"(","instructions":"Be brief.","input":"q)" + number +
            R"(","output":[{"type":"message","role":"assistant","content":[)"
            R"({"type":"output_text","text":"a)" +
            number + "\"}]}]}\n";
  }
  return text;
}

LossReport import_into(Repository& repository, const std::string& text) {
  TextSource source("session.jsonl", text);
  return spoor::import::import_source(source, repository, {}).value();
}

/// How often a first and a second import of a text read something.
struct Reads {
  std::size_t first = 0;
  std::size_t second = 0;

  explicit Reads(const std::string& text) {
    std::size_t reads = 0;
    Repository::Options options;
    options.is_cancelled = [&reads] {
      ++reads;
      return false;
    };
    const auto repository = Repository::in_memory(std::move(options));
    import_into(*repository, text);
    first = std::exchange(reads, 0);
    import_into(*repository, text);
    second = reads;
  }
};

/// Four times as much text takes about four times as many reads.
void check_growth(const std::function<std::string(int)>& text_of) {
  const Reads few(text_of(50));
  const Reads many(text_of(200));
  CHECK(many.first <= 5 * few.first);
  CHECK(many.second <= 5 * few.second);
}

}  // namespace

TEST_SUITE("import/refs") {
  TEST_CASE("many branches of one name are placed in time by their number") {
    check_growth(alike);
    check_growth([](int count) {  // Replies to one prompt in one session.
      std::string text;
      for (int i = 0; i <= count; ++i) {
        const std::string number = std::to_string(i);
        text += R"({"uuid":"r)" + number + R"(","sessionId":"5e551011","parentUuid":)" +
                (i == 0 ? "null" : R"("r0")") +
                R"(,"timestamp":"2026-01-01T00:00:00.000Z","type":")" +
                (i == 0 ? R"(user","message":{"role":"user")"
                        : R"(assistant","message":{"role":"model")") +
                R"(,"parts":[{"text":"t)" + number + "\"}]}}\n";
      }
      return text;
    });
  }

  TEST_CASE("answers that nobody has, and instructions that are said again, are no long search") {
    check_growth([](int count) {
      return exchanges(count, [](int i) { return "gone" + std::to_string(i); });
    });
    check_growth([](int count) {
      return exchanges(count, [](int i) { return i == 0 ? "" : "r" + std::to_string(i - 1); });
    });
  }

  TEST_CASE("what somebody went on with stays, and holds what it did") {
    for (const int count : {4, 40}) {
      const auto repository = Repository::in_memory();
      import_into(*repository, alike(count));
      auto third = repository->branch("openai-chat/b73dd1b0-3");
      REQUIRE(third.user("And then?").has_value());
      const std::string before = refs_text(*repository);
      CHECK(import_into(*repository, alike(count)).refs.at(2).name == kBase + "-3");
      CHECK(refs_text(*repository) == before);
      const LossReport more = import_into(*repository, alike(count + 1));
      CHECK(more.refs.at(static_cast<std::size_t>(count)).name ==
            kBase + "-" + std::to_string(count + 1));
    }
  }

  TEST_CASE("a merge holds what it brought in") {
    const auto repository = Repository::in_memory();
    import_into(*repository, alike(30));
    const Oid brought = repository->store().ref(kBase + "-9").value().value();
    const auto merged =
        repository->transact("merge", spoor::graph::OnConflict::fail, [&](auto& draft) {
          spoor::Result<Oid> made =
              draft.merge(kBase, brought, spoor::store::Mode::append, {}, nullptr, {});
          if (!made) return spoor::Result<void>(made.error());
          return draft.move(kBase + "-9", std::nullopt);
        });
    REQUIRE(merged.has_value());
    const std::string before = refs_text(*repository);
    const LossReport again = import_into(*repository, alike(30));
    CHECK(again.refs.at(0).name == kBase);
    CHECK(again.refs.at(8).name == kBase);
  }

  TEST_CASE("placing stops when it is told to") {
    const auto repository = Repository::in_memory();
    const Oid theirs = repository->branch("x").user("theirs").value();
    const Oid ours = repository->branch("y").user("ours").value();
    CHECK(theirs != ours);
    const std::atomic<bool> cancel = true;
    const auto draft = repository->draft();
    const auto placed = place_refs(*repository, *draft, {{"refs/heads/x", ours}}, &cancel);
    REQUIRE_FALSE(placed.has_value());
    CHECK(placed.error().code == spoor::Error::Code::interrupted);
    const auto other = place_refs(*repository, *draft, {{"refs/heads/x", ours}}, nullptr);
    CHECK(other.value().at(0).name == "refs/heads/x-2");
  }
}
