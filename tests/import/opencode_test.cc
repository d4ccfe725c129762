// OpenCode's sessions: what of a message its model sees.

#include <doctest/doctest.h>

#include "compile/fact.h"
#include "tests/import/support.h"

using namespace import_test;
using spoor::import::TextSource;

namespace {

using Texts = std::vector<std::string>;

struct Imported {
  std::unique_ptr<Repository> repository = Repository::in_memory();
  LossReport report;

  /// `messages`: the messages of a session, `more`: members of its info.
  explicit Imported(const std::string& messages, const std::string& more = {}) {
    const std::string text =
        R"({"info":{"id":"ses_a","directory":"/w")" + more + R"(},"messages":[)" + messages + "]}";
    TextSource source("text", text);
    report = spoor::import::import_source(source, *repository, {}).value();
  }

  Texts prompt(const std::string& suffix = {}) const {
    return prompt_texts(*repository, report.main_ref + suffix);
  }
  std::vector<Step> steps() const { return history(*repository, report.main_ref); }
};

std::string message(const std::string& id, const std::string& role, const std::string& parts,
                    const std::string& more = {}) {
  return R"({"info":{"id":")" + id + R"(","role":")" + role + '"' + more + R"(},"parts":[)" +
         parts + "]}";
}

std::string text(const std::string& said, const std::string& more = {}) {
  return R"({"type":"text","id":"p-)" + said + R"(","text":")" + said + '"' + more + "}";
}

std::string asked(const std::string& said) { return message("q-" + said, "user", text(said)); }

std::string answered(const std::string& said) {
  return message("a-" + said, "assistant", text(said)) + ",";
}

std::string compaction(const std::string& more = {}) {
  return message("c", "user", R"({"type":"compaction","auto":true)" + more + "}") + ",";
}

std::string summary(const std::string& said, const std::string& more = R"(,"finish":"stop")") {
  return message("s-" + said, "assistant", text(said),
                 R"(,"modelID":"m1","summary":true,"tokens":{"input":9,"output":2})" + more) +
         ",";
}

std::string finished(const std::string& more) {
  return R"({"type":"step-finish","reason":"stop","tokens":{"input":100,"output":10})" + more + "}";
}

}  // namespace

TEST_SUITE("import/opencode") {
  TEST_CASE("an answer that failed keeps the name of its error") {
    const Imported session(asked("go") + "," +
                           message("a1", "assistant", "",
                                   R"(,"error":{"name":"APIError","data":{"message":"busy"}})"));
    REQUIRE(session.steps().size() == 2);
    CHECK(session.steps()[1].turn.facts.get(spoor::fact::error) == "APIError");
  }

  TEST_CASE("a summary is a compress of all before it") {
    const Imported got(asked("one") + "," + answered("two") + compaction() + summary("sum") +
                       asked("three"));
    CHECK(got.prompt() == Texts{"sum", "three"});
    CHECK(outline(got.steps()) == "user:one|assistant:two|compress:sum|user:three");
  }

  TEST_CASE("a summary has the model and the tokens of its message") {
    const Imported got(asked("one") + "," + compaction() + summary("sum") + asked("three"));
    CHECK(got.steps()[1].turn.facts.text("model") == "m1");
    CHECK(got.steps()[1].turn.facts.json("usage") == R"({"input":9,"output":2})");
    CHECK(got.steps()[1].turn.author.empty());
  }

  TEST_CASE("a compaction keeps the messages from its tail on, behind the summary") {
    const Imported got(asked("one") + "," + answered("two") + asked("kept") + "," +
                       answered("kept too") + compaction(R"(,"tail_start_id":"q-kept")") +
                       summary("sum") + asked("three"));
    CHECK(got.prompt() == Texts{"sum", "kept", "kept too", "three"});
  }

  TEST_CASE("a second compaction replaces the first summary") {
    const Imported got(asked("one") + "," + compaction() + summary("first") + asked("two") + "," +
                       compaction() + summary("second") + asked("three"));
    CHECK(got.prompt() == Texts{"second", "three"});
  }

  TEST_CASE("a summary that failed or is not finished replaces nothing") {
    const std::string failed = R"(,"finish":"stop","error":{"name":"APIError"})";
    CHECK(Imported(asked("one") + "," + compaction() + summary("s", failed) + asked("two"))
              .prompt() == Texts{"one", "s", "two"});
    CHECK(Imported(asked("one") + "," + compaction() + summary("s", "") + asked("two")).prompt() ==
          Texts{"one", "s", "two"});
  }

  TEST_CASE("a message of which the model sees nothing is a note") {
    const Imported got(asked("one") + "," + compaction() +
                       message("i", "user", text("shown", R"(,"ignored":true)")));
    CHECK(got.prompt() == Texts{"one"});
    CHECK(got.report.kept.at("user") == 2);
  }

  TEST_CASE("an ignored text is attached to what the model sees of its message") {
    const Imported got(
        message("i", "user", text("one") + "," + text("shown", R"(,"ignored":true)")));
    CHECK(got.prompt() == Texts{"one"});
    REQUIRE(got.steps()[0].turn.attach.size() == 1);
    CHECK(got.steps()[0].turn.attach[0].bytes.find("shown") != std::string::npos);
  }

  TEST_CASE("a subtask is what OpenCode sends for it, by the program") {
    const Imported got(message("t", "user", R"({"type":"subtask","prompt":"look"})"));
    CHECK(got.prompt() == Texts{"The following tool was executed by the user"});
    CHECK(got.steps()[0].turn.author.empty());
    CHECK(got.steps()[0].turn.facts.json("injected") == "true");
    REQUIRE(got.steps()[0].turn.attach.size() == 1);
    CHECK(got.steps()[0].turn.attach[0].bytes.find("look") != std::string::npos);
  }

  TEST_CASE("messages that were taken back are a branch of their own") {
    const Imported got(asked("one") + "," + answered("two") + asked("three"),
                       R"(,"revert":{"messageID":"q-three"})");
    CHECK(got.prompt() == Texts{"one", "two"});
    CHECK(got.prompt("-2") == Texts{"one", "two", "three"});
  }

  TEST_CASE("a message may be taken back from one of its parts on") {
    const std::string step = message("a", "assistant", text("two") + "," + text("three"));
    const Imported got(asked("one") + "," + step,
                       R"(,"revert":{"messageID":"a","partID":"p-three"})");
    CHECK(got.prompt() == Texts{"one", "two"});
    CHECK(got.report.refs.size() == 3);  // Two lines, and the notes.
  }

  TEST_CASE("an answer that was exported while its tools ran gets its usage from a later export") {
    const auto session = [](const std::string& tokens, const std::string& end) {
      return R"({"info":{"id":"ses_a","directory":"/w"},"messages":[)" + asked("one") + "," +
             message("a", "assistant", text("two", R"(,"time":{"start":1767225600000})") + end,
                     R"(,"modelID":"m1","tokens":)" + tokens) +
             "]}";
    };
    const auto repository = Repository::in_memory();
    const auto add = [&](const std::string& export_text) {
      TextSource source("text", export_text);
      return spoor::import::import_source(source, *repository, {}).value().main_ref;
    };
    const std::string ref = add(session(R"({"input":0,"output":0})", ""));
    CHECK(add(session(R"({"input":100,"output":10})", "," + finished(""))) == ref);
    CHECK(history(*repository, ref).back().turn.facts.json("usage") ==
          R"({"input":100,"output":10})");
    CHECK(outline(history(*repository, ref)) == "user:one|assistant:two");
    // The first export, once more, changes nothing.
    CHECK(add(session(R"({"input":0,"output":0})", "")) == ref);
    CHECK(history(*repository, ref).back().turn.facts.json("usage") ==
          R"({"input":100,"output":10})");
  }

  TEST_CASE("a step that says nothing is an empty answer with its tokens and cost") {
    const Imported got(asked("one") + "," +
                       message("a", "assistant",
                               text("two") + "," + finished(R"(,"cost":0.5)") + "," +
                                   finished(R"(,"cost":0.25)")));
    const std::vector<Step> steps = got.steps();
    REQUIRE(outline(steps) == "user:one|assistant:two|assistant:");
    CHECK(steps[2].turn.facts.json("cost_usd") == "0.25");
    CHECK(steps[2].turn.facts.json("usage") == R"({"input":100,"output":10})");
    CHECK(steps[2].turn.facts.text("message_id") == "a/2");
  }
}
