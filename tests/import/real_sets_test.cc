// Every session that others' agents left in the shared data is imported, each file into a store of
// its own and all of a set into one, and each value of it is looked for there. Prints the table of
// docs/importing.md.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "import/zip.h"
#include "tests/import/loss.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::import::TextSource;
using spoor::import::total;
using spoor::import::ZipArchive;

namespace {

struct Set {
  std::string folder;  ///< or a file
  std::string tool;
  bool has_unknown = false;  ///< records of a kind that is named and kept
  bool has_damage = false;   ///< lines that were made to be no sound records
};

const std::vector<Set> kSets = {
    {"claude-code-entire-cli", "claude-code"},
    {"claude-code-entirecontext", "claude-code"},
    {"codex-communique", "codex"},
    {"codex-entirecontext", "codex"},
    {"codex-hk", "codex"},
    {"gemini-cli-entire", "gemini-cli"},
    {"opencode-prsui", "opencode"},
    {"pi-mono", "pi"},
    {"pi-prsui", "pi"},
    {"swe-agent", "swe-agent"},
    {"mini-swe-agent/output", "mini-swe-agent", true},  // `exit`, which no model said.
    {"mini-swe-agent/tests", "openai-chat"},
    {"openhands", "openhands"},
    {"openhands-sdk-llm-logs/tests/fixtures", "openai-chat"},
    {"openhands-sdk-llm-logs/tests/sdk/conversation/goal/fixtures/events.jsonl", "openhands"},
    {"llamafactory-chat/data/glaive_toolcall_en_demo.json", "sharegpt"},
    {"llamafactory-chat/data/reason_tool_use_demo_50.jsonl", "openai-chat"},
    {"llamafactory-chat/data/v1_dpo_demo.jsonl", "openai-chat"},
    {"tau-bench", "tau-bench"},
    {"otel-agentevals", "otel"},
    {"otel-any-agent", "otel"},
    {"otel-openinference-vercel", "otel"},
    {"inspect-logs/tests/agent", "gemini-contents"},
    {"inspect-logs/tests/analysis", "inspect"},
    {"inspect-logs/tests/log", "inspect"},
    {"cline-session/sdk/packages/core/fixtures/session/session.messages.json",
     "anthropic-messages"},
    {"cline-session/sdk/packages/core/fixtures/session/basic.compaction.json",
     "anthropic-messages"},
    {"adp-samples/datasets/agenttuning_db/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/agenttuning_kg/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/agenttuning_kg/sample_sft.json", "sharegpt"},
    {"adp-samples/datasets/agenttuning_os/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/agenttuning_webshop/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/codeactinstruct/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/mini-coder/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/orca_agentinstruct/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/toucan_1_5m/sample_raw.json", "openai-chat"},
    {"adp-samples/datasets/toucan_1_5m/sample_sft.json", "sharegpt"},
    {"adp-samples/datasets/webarena_successful/sample_sft.json", "sharegpt"},
    {"aider-afi-core", "aider"},
    {"aider-monochromatic", "aider"},
    // One record of every type that a maintainer has seen, trimmed.
    {"record-type-coverage/Resources/Fixtures/stage0/agents/claude", "claude-code", true, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/codex/large.jsonl", "codex", true,
     true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/codex/schema_drift.jsonl", "generic",
     true, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/codex/small.jsonl", "codex", true,
     true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/gemini", "gemini-cli", true, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/pi", "pi", true, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/openclaw", "pi", true, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/kimi", "kimi", false, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/grok", "grok", false, true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/antigravity", "antigravity", true},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/hermes", "hermes"},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/copilot", "copilot"},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/qwen", "qwen-code"},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/droid", "droid"},
    {"record-type-coverage/Resources/Fixtures/stage0/agents/cursor", "cursor"},
    {"record-type-coverage/Resources/Fixtures/session_branch.jsonl", "openai-chat", true},
    {"record-type-coverage/Resources/Fixtures/session_simple.jsonl", "openai-chat"},
    {"record-type-coverage/Resources/Fixtures/session_toolcall.jsonl", "openai-chat", true},
};

// What lies there and is no session, or none that can be read: why, see docs/importing.md.
const std::vector<std::string> kNoSessions = {
    "MANIFEST.json",
    "adp-samples/datasets/webarena_successful/sample_raw.json",
    "aider-examples",
    "cassettes-",
    "anthropic-sdk-sse",
    "cline-session/sdk/packages/core/fixtures/session/session.json",
    "fixtures-vercel-ai",
    "gemini-cli-responses",
    "misguided-attention",
    "record-type-coverage/Resources/Fixtures/codex_05",
    "record-type-coverage/Resources/Fixtures/stage0/agents/opencode",
};

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  if (fs::is_regular_file(folder, error)) return {folder};
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    const bool is_data = extension == ".jsonl" || extension == ".json" || extension == ".traj" ||
                         extension == ".eval";
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".aider.chat.history.md")) found.push_back(entry->path());
    if (is_data && name != "SOURCES.json" && !name.ends_with(".meta.json")) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What a source says: itself, or the files of an archive.
std::vector<std::string> texts_of(const std::string& source) {
  const auto archive = ZipArchive::open(source);
  if (!archive) return {source};
  std::vector<std::string> texts;
  for (const ZipArchive::Entry& entry : archive->entries()) {
    texts.push_back(archive->read(entry, 1U << 30U).value());
  }
  return texts;
}

std::uint64_t calls_in(const Repository& repository) {
  std::set<std::string> seen;
  std::uint64_t calls = 0;
  for (const std::string& ref : ref_names(repository)) {
    if (!ref.starts_with("refs/heads/")) continue;
    for (const Step& step : history(repository, ref)) {
      if (!seen.insert(step.oid.hex()).second || !step.turn.fields.tool_calls) continue;
      calls += step.turn.fields.tool_calls->size();
    }
  }
  return calls;
}

}  // namespace

TEST_SUITE("import/real_sessions") {
  TEST_CASE("every file of the shared data is in a set, or known to be no session") {
    for (const fs::path& path : files_of(kSharedData)) {
      const std::string name = fs::relative(path, kSharedData).string();
      CAPTURE(name);
      const bool is_in_set = std::any_of(kSets.begin(), kSets.end(), [&](const Set& set) {
        return name == set.folder || name.starts_with(set.folder + "/");
      });
      const bool is_known =
          std::any_of(kNoSessions.begin(), kNoSessions.end(),
                      [&](const std::string& no) { return name.starts_with(no); });
      CHECK(is_in_set != is_known);
    }
  }

  TEST_CASE("every set of sessions is imported, and nothing of it is lost") {
    std::string table;
    const std::string page = read_file(fs::path(SPOOR_SOURCE_DIR) / "docs/importing.md");
    for (const Set& set : kSets) {
      const auto paths = files_of(kSharedData / set.folder);
      std::vector<fs::path> sessions;
      if (paths.empty()) MESSAGE("skipped: no sessions at " << (kSharedData / set.folder).string());
      LossReport sum;
      std::uint64_t calls = 0;
      std::uint64_t lost = 0;
      std::uint64_t fresh = 0;  // Turns that no earlier file of the set had.
      const auto together = Repository::in_memory();
      for (const fs::path& path : paths) {
        CAPTURE(path.string());
        const std::string text = read_file(path);
        const auto repository = Repository::in_memory();
        TextSource source(path.filename().string(), text);
        const auto report = spoor::import::import_source(source, *repository, {});
        if (!report && set.has_damage) {  // Named, and nothing of it stored.
          MESSAGE(report.error().message);
          CHECK(ref_names(*repository).empty());
          continue;
        }
        REQUIRE(report.has_value());
        sessions.push_back(path);
        const LossReport& got = report.value();
        CHECK((got.is_clean() || set.has_damage));
        CHECK((got.unknown.empty() || set.has_unknown));
        if (got.turn_records > 0) CHECK(got.main_ref.starts_with("refs/heads/" + set.tool + "/"));
        CHECK(got.records == got.turn_records + total(got.kept) + total(got.duplicates));
        for (const std::string& said : texts_of(text)) {
          for (const std::string& value : lost_values(said, *repository)) {
            FAIL_CHECK(value);
            ++lost;
          }
        }
        calls += calls_in(*repository);
        sum.add(got);
        TextSource other(path.filename().string(), text);
        fresh += spoor::import::import_source(other, *together, {}).value().new_turns;
      }
      CHECK(together->store().check().value().empty());
      const std::string refs = refs_text(*together);
      for (const fs::path& path : sessions) {
        CAPTURE(path.string());
        const std::string text = read_file(path);
        for (const std::string& said : texts_of(text)) {
          for (const std::string& value : lost_values(said, *together)) FAIL_CHECK(value);
        }
        TextSource again(path.filename().string(), text);
        const auto report = spoor::import::import_source(again, *together, {}).value();
        CHECK(report.new_turns + report.new_notes == 0);
      }
      CHECK(refs_text(*together) == refs);
      std::uint64_t lines = 0;
      for (const std::string& ref : ref_names(*together)) lines += ref.starts_with("refs/heads/");
      if (paths.empty()) continue;
      CHECK(total(sum.turns) > 0);
      const std::string row =
          fmt::format(" | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", set.tool,
                      sessions.size(), lines, total(sum.turns), sum.turns["reasoning"], calls,
                      total(sum.kept), total(sum.turns) - fresh, lost);
      CAPTURE(set.folder);
      CHECK_MESSAGE(page.find(row) != std::string::npos, "docs/importing.md has no row" << row);
      table += "| " + set.folder + row;
    }
    if (!table.empty()) MESSAGE("\n" << table);
  }
}
