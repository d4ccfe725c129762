// Sessions of Aider and Hermes Agent: what becomes of their parts, and that all of a text comes
// back.

#include <doctest/doctest.h>

#include "base/json/reader.h"
#include "import/source.h"
#include "llm/source_usage.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::compile::Type;
using spoor::import::TextSource;

namespace {

const fs::path kTexts = fs::path(SPOOR_SOURCE_DIR) / "tests/data/import";
const std::string kThinking = "thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b";

struct Told {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;

  explicit Told(const std::string& text) { add(text); }

  void add(const std::string& text) {
    TextSource source("session", text);
    report = spoor::import::import_source(source, *repository, {}).value();
  }

  std::vector<Step> steps(const std::string& branch) const {
    return history(*repository, "refs/heads/" + branch);
  }

  /// The first turn that begins so.
  Step find(const std::string& branch, std::string_view text) const {
    for (Step& step : steps(branch)) {
      if (step.turn.text.starts_with(text)) return step;
    }
    FAIL("no turn begins with " << std::string(text));
    return {};
  }
};

Told aider(const std::string& said) {
  return Told("\n# aider chat started at 2026-01-02 03:04:05\n\n> Aider v9  \n" + said);
}

const std::string kBranch = "aider/2026-01-02-03-04-05";

/// What stands behind Aider's own first words.
std::string told_in(const Told& got) {
  const std::string all = outline(got.steps(kBranch));
  const std::string front = "note:# aider chat started at 2026-01-02 03:04:05|note:Aider v9|";
  REQUIRE(all.starts_with(front));
  return all.substr(front.size());
}

std::string without_blanks_behind(const std::string& text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

/// The part of the file that a turn was, as Aider writes it.
std::string part_of(const Step& step, bool is_root) {
  const Turn& turn = step.turn;
  if (!turn.raw.empty()) return turn.raw.at(0).bytes;
  if (turn.type == Type::reasoning) return "";  // In the part of its answer.
  if (is_root || turn.type == Type::assistant) return "\n" + turn.text + "\n\n";
  if (turn.type == Type::note) return without_blanks_behind("> " + turn.text) + "  \n";
  std::string typed;
  std::istringstream lines(turn.text + "\n");
  for (std::string line; std::getline(lines, line);) {
    typed += (typed.empty() ? "#### " : "  \n#### ") + line;
  }
  return "\n" + without_blanks_behind(typed) + "  \n";
}

/// The file as the branches tell it, whose names are in the order of its sessions.
std::string file_of(const Repository& repository) {
  std::string file;
  for (const std::string& ref : ref_names(repository)) {
    bool is_root = true;
    for (const Step& step : history(repository, ref)) {
      file += part_of(step, is_root);
      is_root = false;
    }
  }
  return file;
}

}  // namespace

TEST_SUITE("import/agent_texts") {
  TEST_CASE("Aider: each start is a line, with what was typed, answered and printed") {
    const std::string text = read_file(kTexts / "aider/orchard.aider.chat.history.md");
    const Told got(text);
    CHECK(got.report.main_ref == "refs/heads/aider/2026-02-04-18-00-01");
    CHECK(outline(got.steps("aider/2026-02-04-18-00-01")) ==
          "note:# aider chat started at 2026-02-04 18:00:01|note:Aider v0.86.1|"
          "note:Model: heath/loam-2 with architect edit format|"
          "note:Editor model: heath/silt-1 with editor-diff edit format|"
          "user:Where is the gate?|assistant:By the north wall.|"
          "note:Tokens: 900 sent, 6 received.");
    CHECK(got.report.turns ==
          LossReport::Counts{{"assistant", 5}, {"note", 23}, {"reasoning", 1}, {"user", 6}});
    CHECK(got.report.records == 34);
    CHECK(got.report.refs.size() == 2);

    const std::string first = "aider/2026-02-03-09-15-30";
    CHECK(got.find(first, "Prune").turn.text == "Prune the pear rows.\n\nKeep the oldest branch.");
    CHECK(got.find(first, "Prune").turn.author == "user");
    CHECK(got.find(first, "The rows").turn.text ==
          "The rows in `pears.py` can go like this:\n\npears.py\n```python\n<<<<<<< SEARCH\n"
          "rows = 9\n=======\n# one row less\n\nrows = 8\n>>>>>>> REPLACE\n```\n   \n"
          "That keeps the oldest branch.");
    CHECK(got.find(first, "# 1 SEARCH").turn.text ==
          "# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: pears.py has "
          "no such rows\n> rows = 9\n\nJust reply with a fixed block.");
    CHECK(got.find(first, "mkdir").turn.text == "mkdir -p crates       \ntouch crates/pears.md");
    CHECK(file_of(*got.repository) == text);
  }

  TEST_CASE("Aider: model, version, folder, tokens and cost are facts") {
    const Told got(read_file(kTexts / "aider/orchard.aider.chat.history.md"));
    const std::string branch = "aider/2026-02-03-09-15-30";
    const Turn answer = got.find(branch, "The rows").turn;
    CHECK(answer.author == "heath/loam-2");
    CHECK(answer.facts.text("model") == "heath/loam-2");
    CHECK(answer.facts.text("message_id") == "answer-1");
    CHECK(answer.facts.text("session") == "2026-02-03 09:15:30");
    CHECK(answer.facts.text("agent_version") == "0.86.1");
    CHECK(answer.facts.text("cwd") == "/srv/orchard");
    const std::string usage = answer.facts.json("usage");
    CHECK(usage == R"({"cost":0.0123,"received":"312","sent":"4.1k"})");
    const auto document = spoor::json::parse(usage);
    CHECK(spoor::llm::read_source_usage(document->root()).cost ==
          spoor::llm::parse_dollars("0.0123"));
    CHECK(got.find(branch, "Leave").turn.facts.json("usage") ==
          R"({"cache_hit":"3.4k","cache_write":"1.2k","cost":0.02,"received":"87","sent":"5.0k"})");
    const Step start = got.steps(branch).front();
    CHECK(start.commit.time->text() == "2026-02-03T09:15:30.000000Z");
    CHECK_FALSE(got.find(branch, "The rows").commit.time.has_value());
    CHECK(got.find(branch, "Leave").turn.facts.text("model") == "heath/silt-1");
    // Of the architect's and the editor's answers nothing says whose they are.
    CHECK(got.find(branch, "Two plans").turn.facts.text("model").empty());
    CHECK(got.find(branch, "Two plans").turn.author.empty());
    CHECK(got.find("aider/2026-02-04-18-00-01", "By the").turn.facts.text("model").empty());
    CHECK(got.find(branch, "A last").turn.facts.json("usage").empty());
  }

  TEST_CASE("Aider: thoughts stand before their answer, and the whole is its raw item") {
    const Told got = aider("\n#### Why?  \n\n<" + kThinking + ">\n\nIt may rain.\n\n</" +
                           kThinking + ">\n\nTake a coat.\n\n");
    CHECK(told_in(got) == "user:Why?|reasoning:It may rain.|assistant:Take a coat.");
    const auto steps = got.steps(kBranch);
    CHECK(steps[3].turn.fields.format == "think_tags");
    CHECK(steps[3].turn.facts.text("message_id") == steps[4].turn.facts.text("message_id"));
    CHECK(steps[4].turn.raw.at(0).media_type == "text/markdown");
    CHECK(told_in(aider("\n<" + kThinking + ">\nnot closed\n\n")) ==
          "assistant:<" + kThinking + ">\nnot closed");
  }

  TEST_CASE("Aider: a prompt has what was said, not what was printed") {
    const Told got(read_file(kTexts / "aider/orchard.aider.chat.history.md"));
    CHECK(prompt_texts(*got.repository, "refs/heads/aider/2026-02-04-18-00-01") ==
          std::vector<std::string>{"Where is the gate?", "By the north wall."});
  }

  TEST_CASE("Aider: what was printed ends with two blanks, and goes on without them") {
    CHECK(told_in(aider("> one\n> two\n\n# three  \n\nAnswer.\n\n")) ==
          "note:one\n> two\n\n# three|assistant:Answer.");
    CHECK(told_in(aider("> mkdir a      \ntouch b  \n> Run?  \n")) ==
          "note:mkdir a      \ntouch b|note:Run?");
    CHECK(told_in(aider("> Commit 1\nmore\n\nby.  \nthe end  \n\nAnswer.\n\n")) ==
          "note:Commit 1\nmore\n\nby.  \nthe end|assistant:Answer.");
    // Not filled up: another mark follows.
    CHECK(told_in(aider("> tail of a test   \n> next  \n")) == "note:tail of a test   |note:next");
    CHECK(told_in(aider(">   \n\nAnswer.\n\n")) == "note:  |assistant:Answer.");
    // An editor took the blanks away: each line is one.
    const std::string bare =
        "# aider chat started at 2026-01-02 03:04:05\n\n> Aider v9\n> one\n> two\n\nAnswer.\n";
    const Told got(bare);
    CHECK(told_in(got) == "note:one|note:two|assistant:Answer.");
    CHECK(file_of(*got.repository) == bare);
  }

  TEST_CASE("Aider: what looks like a mark and is none is what was said") {
    const std::string answer = "## Part\n>quoted\n>>>>>>> REPLACE\n####\n#tag\n# Title\n\n\n+1";
    CHECK(told_in(aider("\n" + answer + "\n\n")) == "assistant:" + answer);
    CHECK(told_in(aider("\n#### <blank>  \n\n#### /add a.py  \n> Added a.py to the chat  \n")) ==
          "user:<blank>|user:/add a.py|note:Added a.py to the chat");
    // No count, no usage.
    const Told got = aider("\nYes.\n\n> Tokens: many sent, 3 received.  \n");
    CHECK(told_in(got) == "assistant:Yes.|note:Tokens: many sent, 3 received.");
    CHECK(got.find(kBranch, "Yes").turn.facts.json("usage").empty());
    CHECK(aider("\nYes.\n\n> Tokens: 9 sent, 3 received. Cost: $ 2 message  \n")
              .find(kBranch, "Yes")
              .turn.facts.json("usage") == R"({"cost":2,"received":"3","sent":"9"})");
  }

  TEST_CASE("Aider: every byte comes back, whatever ends the lines") {
    const std::string text = read_file(kTexts / "aider/orchard.aider.chat.history.md");
    std::string windows;
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Told got("\xef\xbb\xbf" + windows);
    CHECK(file_of(*got.repository) == "\xef\xbb\xbf" + windows);
    CHECK(got.find("aider/2026-02-03-09-15-30", "Prune").turn.text ==
          "Prune the pear rows.\n\nKeep the oldest branch.");
    const std::string odd =
        "\n\n# aider chat started at 2026-01-02 03:04:05\n> a  \n\n\n\n> b\xff  "
        "\n\n\n\nx\n\n";
    CHECK(file_of(*Told(odd).repository) == odd);
  }

  TEST_CASE("Aider: empty lines at the end belong to what comes yet") {
    const std::string text = "\n#### Why?  \n\nTake a coat.\n\n";
    const Told whole = aider(text + "\n\n#### And?  \n");
    Told grown = aider(text + "\n\n");
    CHECK(grown.report.torn == 1);
    REQUIRE(grown.report.remarks.size() == 1);
    CHECK(grown.report.remarks[0].message() ==
          "session:10: the last entry is cut off after 2 bytes, not imported");
    grown.add(file_of(*whole.repository));
    CHECK(grown.report.new_turns == 1);
    CHECK(refs_text(*grown.repository) == refs_text(*whole.repository));
  }

  TEST_CASE("Aider: a longer history adds what is new to the same branches") {
    const std::string text = read_file(kTexts / "aider/orchard.aider.chat.history.md");
    const Told whole(text);
    Told grown(text.substr(0, text.find("> Commit 0ddba11")));
    for (const char* next :
         {"\n#### /model", "\n#### And the plums", "\n# aider chat started at 2026-02-04"}) {
      grown.add(text.substr(0, text.find(next)));
    }
    grown.add(text);
    CHECK(refs_text(*grown.repository) == refs_text(*whole.repository));
    grown.add(text);
    CHECK(grown.report.new_turns == 0);
  }

  TEST_CASE(
      "Aider: an answer that was read before its cost was written gets it from a longer copy") {
    const std::string text = read_file(kTexts / "aider/orchard.aider.chat.history.md");
    Told got(text.substr(0, text.find("> Tokens: 5.0k")));
    got.add(text);
    CHECK(refs_text(*got.repository) == refs_text(*Told(text).repository));
    const Step answer = got.find("aider/2026-02-03-09-15-30", "Leave the plums");
    CHECK(answer.turn.facts.json("usage").find(R"("cache_hit":"3.4k")") != std::string::npos);
  }

  TEST_CASE("Aider: the first that was printed may have several lines, empty ones too") {
    const std::string start = "# aider chat started at 2026-01-02 03:04:05\n\n";
    const std::string text =
        start + "> aider --message Prune it.\n\nAll of it.  \n> Aider v9  \n\n#### Prune it.  \n";
    const Told got(text);
    CHECK(outline(got.steps(kBranch)) ==
          "note:# aider chat started at 2026-01-02 03:04:05|"
          "note:aider --message Prune it.\n\nAll of it.|note:Aider v9|user:Prune it.");
    CHECK(file_of(*got.repository) == text);
    const Told quoting(start +
                       "> aider --message Look:\n> quoted\n#### title\n.  \n> Aider v9  \n");
    CHECK(outline(quoting.steps(kBranch)) ==
          "note:# aider chat started at 2026-01-02 03:04:05|"
          "note:aider --message Look:\n> quoted\n#### title\n.|note:Aider v9");
    const Told bare(start + "> aider --message Look\n> Aider v9\n\nYes.\n");  // No line has an end.
    CHECK(outline(bare.steps(kBranch)) ==
          "note:# aider chat started at 2026-01-02 03:04:05|note:aider --message Look|"
          "note:Aider v9|assistant:Yes.");
    // Until its end is here it is unclear.
    const Told front(start + "> aider --message Prune it.\n\n");
    CHECK(outline(front.steps(kBranch)) == "note:# aider chat started at 2026-01-02 03:04:05");
    REQUIRE(front.report.remarks.size() == 1);
    CHECK(front.report.remarks[0].message() ==
          "session:3: the last entry is cut off after 29 bytes, not imported");
  }

  TEST_CASE("Aider: what is cut off is reported, and not imported") {
    const Told got = aider("\n#### Why?  \n\nTake a coat.\n\nIt may ra");
    CHECK(told_in(got) == "user:Why?");
    CHECK(got.report.torn == 1);
    REQUIRE(got.report.remarks.size() == 1);
    CHECK(got.report.remarks[0].message() ==
          "session:8: the last entry is cut off after 24 bytes, not imported");
    const Told ended = aider("\n#### Why?  \n\nTake a coat.\n");  // Without its empty line.
    CHECK(told_in(ended) == "user:Why?");
    CHECK(ended.report.torn == 1);
  }

  TEST_CASE("Aider: a history is found in a folder by its name") {
    const auto found = spoor::import::session_files((kTexts / "aider").string());
    REQUIRE(found.has_value());
    CHECK(found.value().size() == 2);
  }

  TEST_CASE("Hermes: reasoning with its sealed items, calls and results, facts") {
    const Told got(read_file(kTexts / "hermes/session.json"));
    const std::string branch = "hermes/20260203_101500_a1b2c3";
    CHECK(got.report.main_ref == "refs/heads/" + branch);
    const auto steps = got.steps(branch);
    CHECK(outline(steps) ==
          "system:You keep the harbour log.|user:How high is the water at berth 3?|"
          "reasoning:The gauge knows.|assistant:I will read the gauge.|tool:2.41 m and rising|"
          "reasoning:Rising water.\nSlack at noon.|assistant:|reasoning:|"
          "assistant:2.41 m, and rising until noon.|user:And this one?|assistant:That is a heron.");
    CHECK(steps[2].turn.fields.format == "reasoning_content");
    CHECK(steps[3].turn.attach.at(0).bytes.find("c2lnLWdhdWdl") != std::string::npos);
    const auto call = steps[3].turn.fields.tool_calls.value().at(0);
    CHECK(call.id == "call_t1");
    CHECK(call.name == "tide");
    CHECK(call.arguments == R"({"berth": 3})");
    CHECK(steps[4].turn.fields.call_id == "call_t1");
    CHECK(steps[4].turn.fields.name == "tide");
    CHECK(steps[5].turn.fields.format == "responses");
    REQUIRE(steps[5].turn.raw.size() == 1);
    CHECK(steps[5].turn.raw[0].bytes.find("Z0FBQUFBaGFyYm91cg==") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("An item of no known kind") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("It rises still.") != std::string::npos);
    CHECK(steps[6].turn.attach.at(0).bytes.find("Z0FBQUFBaGFyYm91cg==") == std::string::npos);
    CHECK(steps[7].turn.raw.at(0).bytes.find("c2VhbGVkLWFsb25l") != std::string::npos);
    CHECK(steps[8].turn.facts.text("finish_reason") == "stop");
    CHECK(steps[8].turn.facts.text("model") == "heath/loam-2");
    CHECK(steps[8].turn.facts.text("cwd") == "/srv/harbour");
    CHECK(steps[8].turn.facts.text("session") == "20260203_101500_a1b2c3");
    CHECK(steps[8].turn.author == "heath/loam-2");
    CHECK(steps[9].turn.author == "user");
    CHECK(steps[9].turn.attach.at(0).media_type == "image/png");
    CHECK(steps[10].turn.facts.text("model") == "heath/silt-1");
    CHECK(steps[10].turn.author == "heath/silt-1");
    CHECK(got.report.kept ==
          LossReport::Counts{{"message/lighthouse", 1}, {"session", 1}, {"session_meta", 1}});
    CHECK(got.report.unknown == LossReport::Counts{{"message/lighthouse", 1}});
  }

  TEST_CASE("Hermes: a session is recognised before its messages come") {
    std::string text = read_file(kTexts / "hermes/session.json");
    const std::string gauge = "Reads the tide gauge";
    text.replace(text.find(gauge), gauge.size(), gauge + std::string(300'000, '.'));
    CHECK(Told(text).report.main_ref == "refs/heads/hermes/20260203_101500_a1b2c3");
  }

  TEST_CASE("Hermes: a transcript is a message a line, whose model its head names") {
    const Told got(read_file(kTexts / "hermes/transcript.jsonl"));
    const auto steps = history(*got.repository, got.report.main_ref);
    CHECK(outline(steps) ==
          "user:Mend the blue net.|reasoning:Blue means starboard.|assistant:|"
          "tool:{\"knots\": 14}|assistant:Mended with fourteen knots.|user:Thank you.|"
          "assistant:Fair winds.");
    CHECK(steps[0].commit.time->text() == "2026-02-05T08:00:01.000000Z");
    CHECK(steps[2].turn.facts.text("model") == "heath/loam-2");
    CHECK(steps[3].turn.fields.name == "net");
    CHECK(steps[6].turn.facts.text("model") == "heath/silt-1");
    CHECK(got.report.kept == LossReport::Counts{{"session_meta", 2}});
    CHECK(got.report.unknown.empty());
  }

  TEST_CASE("Hermes: the head of a transcript names it, whatever comes first of the messages") {
    const auto told = [](const std::string& time) {
      return Told(R"({"role":"session_meta","model":"m","timestamp":")" + time +
                  "\"}\n"
                  R"({"role":"system","content":"S"})"
                  "\n"
                  R"({"role":"user","content":"U"})"
                  "\n");
    };
    const auto names = ref_names(*told("2026-02-05T08:00:00").repository);
    REQUIRE(names.size() == 2);
    CHECK(names[0].substr(std::string("refs/heads/").size()) ==
          names[1].substr(std::string("refs/sources/").size()));
    CHECK(ref_names(*told("2026-02-06T08:00:00").repository) != names);
  }
}

TEST_SUITE("import/real_sessions") {
  TEST_CASE("of every history of Aider each byte comes back") {
    std::size_t files = 0;
    for (const char* set : {"aider-afi-core", "aider-monochromatic"}) {
      std::error_code error;
      for (fs::directory_iterator entry(kSharedData / set, error), end; !error && entry != end;
           entry.increment(error)) {
        if (entry->path().extension() != ".md") continue;
        CAPTURE(entry->path().string());
        const std::string text = read_file(entry->path());
        const Told got(text);
        CHECK(file_of(*got.repository) == text);
        CHECK(got.report.is_clean());
        ++files;
      }
    }
    if (files == 0) MESSAGE("skipped: no sessions at " << kSharedData.string());
  }
}
