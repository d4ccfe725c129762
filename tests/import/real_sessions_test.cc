// Walks real sessions and the store side by side, with another JSON reader and
// without any of the importer's code: what a session says is in the store, byte
// for byte, once, and in the order of the design's rules.

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/import/support.h"

using namespace import_test;
using Json = nlohmann::json;
using spoor::store::Type;

namespace {

/// What a session says in one block.
struct Said {
  std::string kind;  // text, thinking, call, result
  std::string text;
  std::string signature;
  std::string id;
  std::string name;
  Json arguments;
  bool is_error = false;
};

/// One turn record of the source.
struct SourceRecord {
  std::string uuid;
  std::string session;
  std::string time;
  std::string model;
  std::string cwd;
  std::string git_branch;
  Json usage;
  std::vector<Said> said;
};

std::string joined(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (const Json& part : content) {
    if (part.is_object() && part.value("type", "") == "text") text += part.value("text", "");
  }
  return text;
}

std::string text_or_empty(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Said read_block(const Json& block) {
  Said said;
  const std::string type = text_or_empty(block, "type");
  if (type == "thinking") {
    said = {.kind = "thinking", .text = text_or_empty(block, "thinking")};
    said.signature = text_or_empty(block, "signature");
  } else if (type == "tool_use") {
    said = {.kind = "call", .id = text_or_empty(block, "id"), .name = text_or_empty(block, "name")};
    said.arguments = block.value("input", Json());
  } else if (type == "tool_result") {
    said = {.kind = "result",
            .text = joined(block.value("content", Json(""))),
            .id = text_or_empty(block, "tool_use_id")};
    said.is_error = block.value("is_error", Json()) == Json(true);
  } else if (type == "text") {
    said = {.kind = "text", .text = text_or_empty(block, "text")};
  }
  return said;
}

struct Session {
  std::vector<SourceRecord> turns;
  std::vector<std::string> others;   // Whole lines.
  std::set<std::string> sidechains;  // uuids
};

/// What the user typed while the model was at work.
bool is_queued(const Json& record) {
  const Json attachment = record.value("attachment", Json());
  return text_or_empty(attachment, "type") == "queued_command" && attachment.contains("prompt");
}

/// What a record says, block by block; `open` is the call that a record of its own made last.
std::vector<Said> said_in(const Json& record, std::string& open) {
  const std::string type = text_or_empty(record, "type");
  if (type == "tool_use" && record.contains("name")) {
    open = text_or_empty(record, "uuid");
    return {{.kind = "call",
             .id = open,
             .name = text_or_empty(record, "name"),
             .arguments = record.value("input", Json::object())}};
  }
  if (type == "tool_result" && record.contains("output")) {
    return {{.kind = "result", .text = joined(record.at("output")), .id = open}};
  }
  const bool has_message = (type == "user" || type == "assistant") && record.contains("message") &&
                           record.at("message").is_object();
  if (!has_message && !is_queued(record)) return {};
  const Json content =
      has_message ? record.at("message").at("content") : record.at("attachment").at("prompt");
  if (content.is_string()) return {{.kind = "text", .text = content.get<std::string>()}};
  std::vector<Said> said;
  for (const Json& block : content) said.push_back(read_block(block));
  return said;
}

Session read_session(const std::string& text) {
  Session session;
  std::string open;
  std::set<std::string> seen;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const Json record = Json::parse(line);
    if (!seen.insert(line).second) continue;
    std::vector<Said> said = said_in(record, open);
    if (said.empty()) {
      session.others.push_back(line);
      continue;
    }
    const Json message = record.value("message", Json::object());
    SourceRecord turn{.uuid = text_or_empty(record, "uuid"),
                      .session = text_or_empty(record, "sessionId"),
                      .time = text_or_empty(record, "timestamp"),
                      .model = text_or_empty(message, "model"),
                      .cwd = text_or_empty(record, "cwd"),
                      .git_branch = text_or_empty(record, "gitBranch")};
    turn.usage = message.value("usage", Json());
    if (record.value("isSidechain", false)) session.sidechains.insert(turn.uuid);
    turn.said = std::move(said);
    session.turns.push_back(std::move(turn));
  }
  return session;
}

/// The turns that a record's blocks must have become: neighbouring texts and
/// calls are one turn, a thinking and a result each their own.
struct Expected {
  Type type = Type::user;
  std::string text;
  std::vector<Said> calls;
  Said said;
};

std::vector<Expected> expected_turns(const SourceRecord& record, Type base) {
  std::vector<Expected> turns;
  bool in_run = false;
  for (const Said& said : record.said) {
    if (said.kind == "thinking" || said.kind == "result") {
      turns.push_back({said.kind == "result" ? Type::tool : Type::reasoning, said.text, {}, said});
      in_run = false;
      continue;
    }
    if (!in_run) turns.push_back({base, "", {}, said});
    in_run = true;
    turns.back().text += said.text;
    if (said.kind == "call") turns.back().calls.push_back(said);
  }
  return turns;
}

void check_turn(const Expected& expected, const Step& step) {
  CHECK(step.turn.text == expected.text);
  if (step.commit.op == spoor::store::Op::compress || step.turn.type == Type::summary) return;
  CHECK(step.turn.type == expected.type);
  if (expected.type == Type::reasoning) {
    REQUIRE(step.turn.raw.size() == 1);
    const Json raw = Json::parse(step.turn.raw[0].bytes);
    CHECK(text_or_empty(raw, "thinking") == expected.said.text);
    CHECK(text_or_empty(raw, "signature") == expected.said.signature);
  }
  if (expected.type == Type::tool) {
    CHECK(step.turn.fields.call_id == expected.said.id);
    CHECK(step.turn.fields.is_error == expected.said.is_error);
  }
  const auto calls = step.turn.fields.tool_calls.value_or(std::vector<spoor::compile::ToolCall>());
  REQUIRE(calls.size() == expected.calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CHECK(calls[i].id == expected.calls[i].id);
    CHECK(calls[i].name == expected.calls[i].name);
    CHECK(Json::parse(calls[i].arguments) == expected.calls[i].arguments);
  }
}

/// All turns of a repository's branches by the record they came from, in order.
std::map<std::string, std::vector<Step>> steps_by_record(const Repository& repository) {
  std::map<std::string, std::vector<Step>> all;
  std::set<std::string> seen;
  for (const std::string& ref : ref_names(repository)) {
    if (!ref.starts_with("refs/heads/")) continue;
    for (Step& step : history(repository, ref)) {
      const std::string uuid = step.turn.facts.text("uuid");
      if (seen.insert(step.oid.hex()).second) all[uuid].push_back(std::move(step));
    }
  }
  return all;
}

std::vector<std::string> note_texts(const Repository& repository) {
  std::vector<std::string> texts;
  for (const std::string& ref : ref_names(repository)) {
    if (!ref.starts_with("refs/sources/")) continue;
    for (const Step& step : history(repository, ref)) texts.push_back(step.turn.text);
  }
  return texts;
}

/// A fixture of the coverage set that was trimmed until records share one name.
bool names_are_unique(const Session& session) {
  std::set<std::string> names;
  for (const SourceRecord& record : session.turns) {
    if (!names.insert(record.uuid).second) return false;
  }
  return true;
}

bool is_real(const fs::path& path) {
  return path.string().find("record-type-coverage") == std::string::npos;
}

}  // namespace

TEST_SUITE("import/real_sessions") {
  TEST_CASE("every text, thinking, signature, call and result is in the store, byte-equal") {
    const auto paths = shared_sessions();
    if (paths.empty()) MESSAGE("skipped: no sessions at " << kSharedData.string());
    int turns = 0;
    for (const fs::path& path : paths) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const Session session = read_session(text);
      const auto repository = Repository::in_memory();
      const LossReport report = import_text(*repository, text);
      CHECK(report.is_clean());
      CHECK(report.turn_records == session.turns.size());

      const auto stored = steps_by_record(*repository);
      std::size_t commits = 0;
      for (const auto& [uuid, steps] : stored) commits += steps.size();
      std::size_t wanted = 0;
      for (const SourceRecord& record : session.turns) {
        const bool assistant = !record.model.empty() || record.said.front().kind == "call";
        wanted += expected_turns(record, Type::user).size();
        if (!names_are_unique(session)) continue;
        CAPTURE(record.uuid);
        const std::vector<Step>& steps = stored.at(record.uuid);
        const bool is_reply = assistant || steps.front().turn.type == Type::assistant ||
                              steps.back().turn.type == Type::assistant;
        const auto expected = expected_turns(record, is_reply ? Type::assistant : Type::user);
        REQUIRE(steps.size() == expected.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
          check_turn(expected[i], steps[i]);
          CHECK(steps[i].turn.facts.text("session") == record.session);
          CHECK(steps[i].turn.facts.text("cwd") == record.cwd);
          CHECK(steps[i].turn.facts.text("git_branch") == record.git_branch);
          CHECK(steps[i].turn.facts.text("model") == record.model);
          if (!record.time.empty() && steps[i].commit.time) {
            CHECK(steps[i].commit.time->text().substr(0, 23) == record.time.substr(0, 23));
          }
          ++turns;
        }
        const std::string usage = steps.back().turn.facts.json("usage");
        if (!usage.empty()) CHECK(Json::parse(usage) == record.usage);
        CHECK(usage.empty() == (record.usage.is_null() || record.usage.empty()));
      }
      CHECK(commits == wanted);
    }
    MESSAGE(paths.size() << " sessions, " << turns << " turns compared");
  }

  TEST_CASE("every record that is no turn is kept verbatim, or repeats what is stored") {
    for (const fs::path& path : shared_sessions()) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const Session session = read_session(text);
      const auto repository = Repository::in_memory();
      import_text(*repository, text);
      std::multiset<std::string> kept;
      for (std::string& note : note_texts(*repository)) kept.insert(std::move(note));
      std::size_t found = 0;
      for (const std::string& line : session.others) {
        const bool is_kept = kept.contains(line);
        found += is_kept ? 1 : 0;
        if (!is_kept) CHECK(Json::parse(line).at("type") == "last-prompt");
      }
      CHECK(found == kept.size());
    }
  }

  TEST_CASE("real sessions have one line: no false branch") {
    for (const fs::path& path : shared_sessions()) {
      if (!is_real(path)) continue;
      CAPTURE(path.string());
      const auto repository = Repository::in_memory();
      const LossReport report = import_text(*repository, read_file(path));
      int heads = 0;
      for (const std::string& ref : ref_names(*repository)) {
        if (ref.starts_with("refs/heads/")) ++heads;
      }
      CHECK(heads == 1);
      CHECK(report.missing_parents == 0);
      // Results stand behind their calls, and each call that was answered has one.
      std::set<std::string> open;
      for (const Step& step : history(*repository, report.main_ref)) {
        if (step.turn.fields.tool_calls) {
          for (const auto& call : *step.turn.fields.tool_calls) open.insert(call.id);
        }
        if (step.turn.type == Type::tool) CHECK(open.erase(step.turn.fields.call_id) == 1);
      }
    }
  }

  TEST_CASE("the store is sound, and importing again changes nothing") {
    for (const fs::path& path : shared_sessions()) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const auto repository = Repository::in_memory();
      import_text(*repository, text);
      CHECK(repository->store().check().value().empty());
      const std::string refs = refs_text(*repository);
      const LossReport again = import_text(*repository, text);
      CHECK(again.new_turns == 0);
      CHECK(again.new_notes == 0);
      CHECK(refs_text(*repository) == refs);
    }
  }

  TEST_CASE("fronts of real sessions, one after the other, come to the whole") {
    for (const fs::path& path : shared_sessions()) {
      CAPTURE(path.string());
      const std::string text = read_file(path);
      const auto whole = Repository::in_memory();
      import_text(*whole, text);
      const auto parts = Repository::in_memory();
      std::size_t lines = 0;
      for (std::size_t end = text.find('\n'); end != std::string::npos;
           end = text.find('\n', end + 1)) {
        if (++lines % 7 != 0) continue;
        for (const std::size_t cut : {end - 1, end, end + 1, end + 2}) {
          import_text(*parts, std::string_view(text).substr(0, cut));
        }
      }
      import_text(*parts, text);
      CHECK(refs_text(*parts) == refs_text(*whole));
    }
  }

  TEST_CASE("captures of one session at different moments share one branch") {
    const auto repository = Repository::in_memory();
    std::set<std::string> heads;
    for (const fs::path& path : shared_sessions()) {
      if (path.string().find("768de5d6") == std::string::npos) continue;
      heads.insert(import_text(*repository, read_file(path)).main_ref);
    }
    CHECK(heads.size() <= 1);
    if (!heads.empty()) CHECK(ref_names(*repository).size() == 2);
  }
}
