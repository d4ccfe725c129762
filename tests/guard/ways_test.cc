// In whatever way something is written, secrets do not reach the disk and look-alikes do: an import
// and a run here; the third, `spoor batch`, in tests/cli/capture_test.cc.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "agent/planner.h"
#include "graph/repository.h"
#include "guard/redact/redacting_scrubber.h"
#include "import/importer.h"
#include "import/source.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/agent/stage.h"
#include "tests/guard/corpus.h"
#include "tests/guard/finder.h"

namespace spoor::guard {
namespace {

using graph::Repository;

constexpr std::size_t kMany = 5'000;

std::shared_ptr<RedactingScrubber> scrubber() {
  return std::make_shared<RedactingScrubber>([] { return RuleSet::with_builtin(); },
                                             std::make_unique<MemoryNumbering>());
}

std::unique_ptr<Repository> create(const Folder& folder, bool redacts) {
  Repository::Options options;
  if (redacts) options.scrubber = scrubber();
  options.author = "agent/test";
  return Repository::create(folder.store(), std::move(options)).value();
}

// A session in which each text stands somewhere else: said, answered, called with, returned, kept
// beside.
std::string session_with(const std::vector<std::string>& texts) {
  std::string lines;
  std::string parent = "null";
  const auto add = [&](std::size_t i, std::string_view type, const std::string& message) {
    lines += fmt::format(
        R"({{"type":"{}","uuid":"u-{}","parentUuid":{},"sessionId":"s-1","message":{}}})"
        "\n",
        type, i, parent, message);
    parent = fmt::format("\"u-{}\"", i);
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = json::write_string(texts[i]);
    switch (i % 5) {
      case 0:
        add(i, "user", fmt::format(R"({{"role":"user","content":{}}})", text));
        break;
      case 1:
        add(i, "assistant",
            fmt::format(R"({{"id":"m-{}","role":"assistant","model":"m","content":)"
                        R"([{{"type":"text","text":{}}}]}})",
                        i, text));
        break;
      case 2:
        add(i, "assistant",
            fmt::format(R"({{"id":"m-{}","role":"assistant","model":"m","content":)"
                        R"([{{"type":"tool_use","id":"t-{}","name":"Bash","input":)"
                        R"({{"command":{}}}}}]}})",
                        i, i, text));
        break;
      case 3:
        add(i, "user",
            fmt::format(R"({{"role":"user","content":[{{"type":"tool_result",)"
                        R"("tool_use_id":"t-{}","content":{}}}]}})",
                        i - 1, text));
        break;
      default:
        lines += fmt::format(R"({{"type":"queue-operation","sessionId":"s-1","content":{}}})"
                             "\n",
                             text);
        break;
    }
  }
  return lines;
}

void import_into(Repository& repository, const std::string& session) {
  import::TextSource source("session.jsonl", session);
  import::ImportOptions options;
  options.keep_source = true;
  const auto report = import::import_source(source, repository, options);
  REQUIRE_MESSAGE(report, report.error().message);
  REQUIRE(report->is_clean());
}

// A run that is given the texts by its tool, calls it with them, thinks of them and ends with one.
void run_with(Repository& repository, const std::vector<std::string>& texts) {
  constexpr std::size_t kTogether = 50;
  std::vector<llm::Reply> replies;
  std::vector<std::string> results;
  for (std::size_t at = 0; at < texts.size(); at += kTogether) {
    std::string all;
    for (std::size_t i = at; i < std::min(at + kTogether, texts.size()); ++i) {
      all += texts[i] + "\n";
    }
    switch (at / kTogether % 3) {
      case 0:  // In a result, and what the tool attaches.
        replies.push_back(agent::testing::calls({{"look", R"({"at":1})"}}));
        results.push_back(all);
        break;
      case 1:  // In a call.
        replies.push_back(agent::testing::calls(
            {{"look", fmt::format(R"({{"for":{}}})", json::write_string(all))}}));
        results.emplace_back("found");
        break;
      default:  // In what the model says.
        replies.push_back(agent::testing::calls({{"look", R"({"at":2})"}}, all));
        results.emplace_back("found");
        break;
    }
  }
  replies.push_back(llm::say(texts.back()));
  agent::Registry registry;
  agent::Tool tool;
  tool.id = "look";
  tool.description = "looks";
  std::size_t next = 0;
  tool.run = [&](std::string_view, const agent::ToolContext&) {
    agent::ToolResult result = agent::gave(results[next++]);
    result.attach.push_back({result.text, "text/plain"});
    return result;
  };
  REQUIRE(registry.add(std::move(tool)));
  agent::RunOptions options;
  options.registry = &registry;
  options.max_steps = 1'000;
  options.calling = agent::Calling::native;
  options.rationale = false;
  agent::testing::ListModel model(replies);
  const llm::Candidate candidate{&model, "m", {}, {}};
  agent::Session session(repository, "main",
                         {.window_tokens = 20'000, .when_full = agent::WhenFull::drop});
  const auto result =
      agent::run(agent::Strategy::react, "Look: " + texts.front(), candidate, session, options);
  REQUIRE_MESSAGE(result, result.error().message);
  CHECK(next == results.size());
}

std::vector<std::string> texts_of(const std::vector<Told>& secrets) {
  std::vector<std::string> texts;
  for (const Told& told : secrets) texts.push_back(told.text);
  return texts;
}

// The contents of all blobs.
std::vector<std::string> contents_in(const Repository& repository) {
  std::vector<std::string> all;
  REQUIRE(repository.store().scan([&](const store::StoredObject& stored) {
    if (stored.object.kind == store::Kind::blob) all.push_back(stored.object.body);
    return true;
  }));
  std::sort(all.begin(), all.end());
  return all;
}

// Compression hides a text from who looks for it in the file: so all that the store says is
// written beside it.
void unpack_into(const Folder& folder) {
  std::ofstream out(folder.path / "unpacked", std::ios::binary);
  const auto store = store::SqliteStore::open(folder.store()).value();
  REQUIRE(store->scan([&](const store::StoredObject& stored) {
    out << stored.object.body << '\n';
    return true;
  }));
}

}  // namespace

TEST_SUITE("guard/ways") {
  TEST_CASE("of 5,000 made-up secrets in a session none reaches the disk by importing it") {
    const auto secrets = made_up_secrets(kMany, 20261123);
    const SecretFinder finder(secrets);
    const std::string session = session_with(texts_of(secrets));
    Folder folder;
    {
      const auto repository = create(folder, true);
      import_into(*repository, session);
      for (const std::string& found : finder.found_in(folder.path)) FAIL_CHECK(found);
    }
    unpack_into(folder);
    for (const std::string& found : finder.found_in(folder.path)) FAIL_CHECK(found);
    Folder open;  // Where nobody redacts, they are found.
    import_into(*create(open, false), session);
    unpack_into(open);
    CHECK(finder.found_in(open.path).size() >= kMany);
  }

  TEST_CASE("of 5,000 look-alikes in a session none is touched") {
    const std::string session = session_with(look_alikes(kMany, 20261124));
    Folder redacted;
    Folder full;
    const auto one = create(redacted, true);
    const auto other = create(full, false);
    import_into(*one, session);
    import_into(*other, session);
    CHECK(contents_in(*one) == contents_in(*other));
  }

  TEST_CASE("of 5,000 made-up secrets in a run none reaches the disk") {
    const auto secrets = made_up_secrets(kMany, 20261125);
    const SecretFinder finder(secrets);
    Folder folder;
    {
      const auto repository = create(folder, true);
      run_with(*repository, texts_of(secrets));
      CHECK(finder.found_in(folder.path) == std::vector<std::string>());
    }
    unpack_into(folder);
    CHECK(finder.found_in(folder.path) == std::vector<std::string>());
    Folder open;
    run_with(*create(open, false), texts_of(secrets));
    unpack_into(open);
    CHECK(finder.found_in(open.path).size() >= kMany);
  }

  TEST_CASE("of 5,000 look-alikes in a run none is touched") {
    Folder folder;
    const auto repository = create(folder, true);
    run_with(*repository, look_alikes(kMany, 20261126));
    for (const std::string& content : contents_in(*repository)) {
      CHECK(content.find("[REDACTED:") == std::string::npos);
    }
  }
}

}  // namespace spoor::guard
