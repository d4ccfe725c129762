// The secret never reaches the disk.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/json/writer.h"
#include "graph/repository.h"
#include "guard/redact/redacting_scrubber.h"
#include "tests/guard/corpus.h"
#include "tests/guard/finder.h"

namespace spoor::guard {
namespace {

namespace fs = std::filesystem;
using graph::Repository;

std::shared_ptr<RedactingScrubber> scrubber(const fs::path& folder) {
  std::ofstream(folder / "key") << std::string(64, '7') << '\n';
  fs::permissions(folder / "key", fs::perms::owner_read | fs::perms::owner_write);
  return std::make_shared<RedactingScrubber>([] { return RuleSet::with_builtin(); },
                                             std::make_unique<NumberFile>(folder / "key"));
}

// Writes each text by another way into the store.
void write_all(Repository& repository, const std::vector<Told>& secrets) {
  graph::Branch branch = repository.branch("main");
  const store::Oid first = branch.user("begin").value();
  constexpr std::size_t kTogether = 250;
  for (std::size_t at = 0; at < secrets.size(); at += kTogether) {
    const auto written = branch.write(
        "test", [&](graph::Draft& draft, const std::string& ref) -> Result<store::Oid> {
          for (std::size_t i = at; i < std::min(at + kTogether, secrets.size()); ++i) {
            const std::string& text = secrets[i].text;
            compile::Turn turn{.type = compile::Type::assistant, .author = "somebody"};
            switch (i / 7 % 11) {
              case 0:
                turn.text = text;
                break;
              case 1:
                turn.fields.tool_calls = {
                    {"call_1", "run", fmt::format("{{\"command\":{}}}", json::write_string(text))}};
                break;
              case 2:
                turn.raw = {{fmt::format("{{\"content\":[{{\"type\":\"text\",\"text\":{}}}]}}",
                                         json::write_string(text))}};
                break;
              case 3: {
                const std::string inner =
                    fmt::format("{{\"output\":{}}}", json::write_string(text));
                turn.raw = {{fmt::format("{{\"result\":{}}}", json::write_string(inner))}};
                break;
              }
              case 4:
                turn.extra.metadata = fmt::format("{{\"note\":{}}}", json::write_string(text));
                break;
              case 5:
                turn.attach = {{text, "text/plain"}};
                break;
              case 6:
                TRY(draft.annotate(ref, first, compile::Priority::pinned, text, {}));
                continue;
              case 7:
                TRY(draft.edit(ref, first, {.text = text}, {}));
                continue;
              case 8:
                turn.extra.message = text;
                break;
              case 9:
                turn.type = compile::Type::note;
                turn.text = text;
                break;
              default:
                TRY(draft.put_tag(fmt::format("t{}", i), first, text, {}));
                continue;
            }
            TRY(draft.append(ref, turn));
          }
          return draft.tip_of(ref);
        });
    REQUIRE_MESSAGE(written, written.error().message);
  }
}

}  // namespace

TEST_SUITE("guard/redact/disk") {
  TEST_CASE("of 5,000 made-up secrets none is on the disk, in whatever way it was written") {
    const auto secrets = made_up_secrets(5000, 20260701);
    Folder folder;
    Finder finder;
    for (std::size_t i = 0; i < secrets.size(); ++i) add_forms(finder, secrets[i].secret, i);
    {
      Repository::Options options;
      options.scrubber = scrubber(folder.path);
      auto repository = Repository::create(folder.store(), std::move(options)).value();
      write_all(*repository, secrets);
      // With the store open, and so with its write-ahead log.
      for (const auto& entry : fs::directory_iterator(folder.path)) {
        for (const std::size_t i : finder.find(bytes_of(entry.path()))) {
          FAIL_CHECK(entry.path().filename().string(), " has ", secrets[i].kind, ": ",
                     secrets[i].text);
        }
      }
    }
    for (const auto& entry : fs::directory_iterator(folder.path)) {
      CHECK(finder.find(bytes_of(entry.path())).empty());
    }
  }

  TEST_CASE("the same secrets are found where nobody redacts") {
    const auto secrets = made_up_secrets(500, 20260702);
    Folder folder;
    Finder finder;
    for (std::size_t i = 0; i < secrets.size(); ++i) add_forms(finder, secrets[i].secret, i);
    auto repository = Repository::create(folder.store()).value();
    write_all(*repository, secrets);
    std::vector<bool> seen(secrets.size());
    for (const auto& entry : fs::directory_iterator(folder.path)) {
      for (const std::size_t i : finder.find(bytes_of(entry.path()))) seen[i] = true;
    }
    CHECK(std::count(seen.begin(), seen.end(), true) == 500);
  }

  TEST_CASE("every commit says that it was redacted") {
    Folder folder;
    Repository::Options options;
    options.scrubber = scrubber(folder.path);
    auto repository = Repository::in_memory(std::move(options));
    graph::Branch branch = repository->branch("main");
    const auto first = branch.user("mail jo@somewhere.com").value();
    const auto second = branch.annotate(first, compile::Priority::pinned, "for jo@somewhere.com");
    for (const auto& oid : {first, second.value()}) {
      const auto turn = graph::read_turn(repository->reader(), oid).value();
      CHECK(turn.facts.text("capture") == "redacted");
    }
    CHECK(branch.show(first).value().text == "mail [REDACTED:email:1]");
    CHECK(branch.show(second.value()).value().text == "for [REDACTED:email:1]");
  }

  TEST_CASE("a rule that cannot run refuses the write, and nothing is stored") {
    const auto broken = [] {
      std::vector<Rule> rules(1);
      rules[0].id = "broken";
      rules[0].regex = "(x{1000}){1000}";
      rules[0].keywords = {"secret"};
      return Result(std::make_unique<RuleSet>(std::move(rules)));
    };
    Repository::Options options;
    options.scrubber =
        std::make_shared<RedactingScrubber>(broken, std::make_unique<MemoryNumbering>());
    auto repository = Repository::in_memory(std::move(options));
    graph::Branch branch = repository->branch("main");
    REQUIRE(branch.user("nothing special"));  // The rule does not have to run.
    const auto written = branch.user("a secret");
    REQUIRE_FALSE(written);
    CHECK(written.error().code == Error::Code::denied);
    CHECK(branch.compile().value().messages.size() == 1);
  }

  TEST_CASE("without its numbers a store takes no secret, and anything else") {
    Repository::Options options;
    options.scrubber = std::make_shared<RedactingScrubber>(
        [] { return RuleSet::with_builtin(); }, std::make_unique<NumberFile>("/nowhere/key"));
    auto repository = Repository::in_memory(std::move(options));
    graph::Branch branch = repository->branch("main");
    CHECK(branch.user("hello"));
    const auto written = branch.user("I am jo@somewhere.com");
    REQUIRE_FALSE(written);
    CHECK(written.error().code == Error::Code::denied);
  }

  TEST_CASE("a ref whose name holds a secret is refused, an author's name is redacted") {
    Folder folder;
    Repository::Options options;
    options.scrubber = scrubber(folder.path);
    options.author = "Jo <jo@somewhere.com>";
    auto repository = Repository::in_memory(std::move(options));
    const auto made = repository->branch("jo@somewhere.com").user("x");
    REQUIRE_FALSE(made);
    CHECK(made.error().code == Error::Code::denied);
    const auto oid = repository->branch("main").user("x").value();
    CHECK(repository->reader().commit(oid).value()->author == "Jo <[REDACTED:email:1]>");
    const std::string operation = repository->store().newest_operation().value()->body;
    CHECK(operation.find("Jo <[REDACTED:email:1]>") != std::string::npos);
    CHECK(operation.find("somewhere") == std::string::npos);
  }
}

}  // namespace spoor::guard
