// Capture modes: by part, by call, and what is left of a text that is only hashed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "agent/planner.h"
#include "agent/record/recording.h"
#include "base/json/writer.h"
#include "compile/commitment.h"
#include "guard/capture/capturing_scrubber.h"
#include "guard/capture/structure.h"
#include "guard/redact/redacting_scrubber.h"
#include "llm/sent_prompt.h"
#include "report/event/failure_modes.h"
#include "report/event/projection.h"
#include "store/fsck.h"
#include "store/sha256.h"
#include "tests/agent/stage.h"
#include "tests/guard/corpus.h"
#include "tests/guard/finder.h"
#include "tests/report/event_schema.h"
#include "trace/event_json.h"

namespace spoor::guard {

using report::Auditor;
using report::Failing;
using report::project;
using trace::AgentAction;
using trace::Content;
using trace::DecisionEvent;

namespace {

using compile::Capture;
using compile::Slot;
using compile::Turn;
using compile::Type;
using graph::Repository;
using store::Oid;
using Code = Error::Code;

const std::string kKey(32, 'k');

// What a process has: a redactor, a hasher that knows what it hashed, and modes.
struct Process {
  // An empty key: it is gone.
  explicit Process(const FieldModes& modes, std::string key = kKey)
      : hasher([key = std::move(key)]() -> Result<std::string> {
          if (key.empty()) return denied("no key");
          return key;
        }),
        scrubber(modes, redactor, hasher) {}

  RedactingScrubber redactor{[] { return RuleSet::with_builtin(); },
                             std::make_unique<MemoryNumbering>()};
  Hasher hasher;
  CapturingScrubber scrubber;

  Repository::Options options() {
    Repository::Options made;
    made.author = "agent/test";
    made.scrubber = std::shared_ptr<const compile::Scrubber>(std::shared_ptr<void>(), &scrubber);
    return made;
  }
};

FieldModes all(Capture mode) { return FieldModes{}.at_least(mode); }

std::string committed(std::string_view text) {
  return compile::write_commitment(
      Hasher([] { return Result<std::string>(kKey); }).commitment(text).value());
}

// A run of one edit, of which the arguments are hashed, or all.
agent::PlanResult edit_run(Repository& repository) {
  agent::Session session(repository, "main");
  agent::Registry registry;
  agent::Tool tool;
  tool.id = "edit_file";
  tool.description = "edits";
  tool.run = [&](std::string_view, const agent::ToolContext&) {
    agent::ToolResult result = agent::gave("edited");
    result.facts.set_text("artifact", "file_edit");
    result.facts.set_text("path", "src/yeti.cc");
    return result;
  };
  REQUIRE(registry.add(std::move(tool)));
  agent::RunOptions options;
  options.registry = &registry;
  agent::testing::ListModel model(
      {agent::testing::calls({{"edit_file", R"({"path":"src/yeti.cc"})"}}), llm::say("done")});
  return agent::testing::must(
      agent::run(agent::Strategy::react, "mend it", {&model, "m", {}, {}}, session, options));
}

std::vector<DecisionEvent> events_of_run(const Repository& repository, const std::string& id) {
  std::vector<DecisionEvent> events;
  const auto run = agent::testing::must(agent::find_run(repository, id));
  REQUIRE(project(repository, run, run.head, {}, [&](DecisionEvent&& event) -> Result<void> {
    report::testing::check_event(event);
    events.push_back(std::move(event));
    return {};
  }));
  return events;
}

}  // namespace

TEST_SUITE("guard/capture") {
  TEST_CASE("a commitment says how long a text was, and nothing that could be guessed") {
    const std::string text = committed("yes");
    CHECK(text.starts_with(R"({"bytes":3,"hash":"hmac-sha256:)"));
    CHECK(text.ends_with(R"(","mode":"hashed"})"));
    CHECK(compile::read_commitment(text)->bytes == 3);
    CHECK(text.find(store::sha256("yes").hex()) == std::string::npos);
    CHECK(committed("yes") == text);
    CHECK(committed("no!") != text);
    for (const std::string& other : std::initializer_list<std::string>{
             std::string(), std::string("{}"), text + " ", text.substr(1), "[" + text + "]",
             R"({"bytes":03,"hash":"hmac-sha256:)" + std::string(64, '0') + R"(","mode":"hashed"})",
             R"({"bytes":3,"hash":"hmac-sha256:)" + std::string(63, '0') +
                 R"(","mode":"hashed"})"}) {
      CHECK_FALSE(compile::is_commitment(other));
    }
  }

  TEST_CASE("modes by part: the most restrictive wins, and items say what all parts say") {
    FieldModes modes = read_field_modes(" raw=hashed , arguments=redacted ").value();
    CHECK(modes.differences() == "arguments=redacted,raw=hashed");
    modes.restrict_to(read_field_modes("arguments=hashed").value());
    CHECK(modes.arguments == Capture::hashed);
    const FieldModes more = modes.at_least(Capture::redacted);
    CHECK(more.text == Capture::redacted);
    CHECK(more.raw == Capture::hashed);
    CHECK(more.differences() == "arguments=hashed,raw=hashed");
    CHECK(read_field_modes("arguments=hashed").value().at_least(Capture::full).raw ==
          Capture::hashed);
    CHECK(all(Capture::hashed).differences().empty());
    CHECK(FieldModes{}.is_full());
    CHECK(read_field_modes("").value().is_full());
    for (const char* wrong : {"raw", "row=hashed", "raw=most", "=hashed", "raw=hashed,,text"}) {
      CHECK(read_field_modes(wrong).error().code == Code::invalid);
    }
    CHECK(read_field_modes(more.differences()).value().differences() == more.differences());
  }

  TEST_CASE("in mode hashed a turn keeps its structure, and none of its texts") {
    Process process(all(Capture::hashed));
    auto repository = Repository::in_memory(process.options());
    Turn turn{.type = Type::assistant, .text = "I look into it.", .media_type = "text/plain"};
    turn.fields.tool_calls = {{"call_1", "read_file", R"({"path":"/home/jo/diary.txt"})"}};
    turn.fields.rationale = R"({"1":{"why":"jo asked"}})";
    turn.extra.message = "about the diary";
    turn.extra.tags = {"private"};
    turn.extra.metadata = R"({"who":"jo"})";
    turn.raw = {{R"({"content":"I look into it."})"}};
    turn.attach = {{"a picture", "image/png"}};
    turn.facts.set_text("model", "m-1");
    turn.facts.set_text("cwd", "/home/jo");
    turn.facts.set_json("usage", R"({"input_tokens":12,"note":"jo"})");
    const Oid oid = repository->branch("main").commit(turn).value();
    const Turn kept = repository->branch("main").show(oid).value();
    CHECK(kept.text == committed("I look into it."));
    REQUIRE(kept.fields.tool_calls);
    CHECK(kept.fields.tool_calls->front().id == "call_1");
    CHECK(kept.fields.tool_calls->front().name == "read_file");
    CHECK(kept.fields.tool_calls->front().arguments ==
          committed(R"({"path":"/home/jo/diary.txt"})"));
    CHECK(kept.fields.rationale == committed(R"({"1":{"why":"jo asked"}})"));
    CHECK(kept.extra.message == committed("about the diary"));
    CHECK(kept.extra.tags == std::vector<std::string>{committed("private")});
    CHECK(kept.extra.metadata == committed(R"({"who":"jo"})"));
    CHECK(kept.raw.front().bytes == committed(R"({"content":"I look into it."})"));
    CHECK(kept.attach.front().bytes == committed("a picture"));
    CHECK(kept.facts.text("model") == "m-1");
    CHECK(kept.facts.text("capture") == "hashed");
    CHECK(kept.facts.json("cwd").empty());
    CHECK(kept.facts.json("usage") == R"({"input_tokens":12})");
    CHECK(store::fsck(repository->store()).value().is_sound());
    CHECK(repository->branch("main").compile().value().messages.size() == 1);
  }

  TEST_CASE("by part: what is said is kept, what is called is redacted, items are hashed") {
    Process process(read_field_modes("arguments=redacted,raw=hashed").value());
    auto repository = Repository::in_memory(process.options());
    Turn turn{.type = Type::assistant, .text = "I mail jo@somewhere.com."};
    turn.fields.tool_calls = {{"c1", "mail", R"({"to":"jo@somewhere.com"})"}};
    turn.raw = {{R"({"x":1})"}};
    const Oid oid = repository->branch("main").commit(turn).value();
    const Turn kept = repository->branch("main").show(oid).value();
    CHECK(kept.text == turn.text);
    CHECK(kept.fields.tool_calls->front().arguments == R"({"to":"[REDACTED:email:1]"})");
    CHECK(kept.raw.front().bytes == committed(R"({"x":1})"));
    CHECK(kept.facts.text("capture").empty());
    CHECK(kept.facts.text("capture_fields") == "arguments=redacted,raw=hashed");
  }

  TEST_CASE("one write may ask for less to be kept, and never for more") {
    Process process(all(Capture::full));
    auto repository = Repository::in_memory(process.options());
    const auto said_under = [&](Capture least) {
      Oid made;
      const auto written = repository->transact(
          "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
            TRY(draft.capture_at_least(least));
            made = TRY(draft.append("refs/heads/main",
                                    Turn{.type = Type::user, .text = "mail jo@somewhere.com"}));
            return {};
          });
      REQUIRE(written);
      return repository->branch("main").show(made).value();
    };
    CHECK(said_under(Capture::full).text == "mail jo@somewhere.com");
    CHECK(said_under(Capture::redacted).text == "mail [REDACTED:email:1]");
    CHECK(said_under(Capture::redacted).facts.text("capture") == "redacted");
    CHECK(said_under(Capture::hashed).text == committed("mail jo@somewhere.com"));
    CHECK(said_under(Capture::full).facts.text("capture").empty());

    Process strict(all(Capture::hashed));
    repository = Repository::in_memory(strict.options());
    CHECK(said_under(Capture::redacted).text == committed("mail jo@somewhere.com"));

    repository = Repository::in_memory();  // Nothing there keeps less.
    const auto refused = repository->transact(
        "test", graph::OnConflict::fail,
        [&](graph::Draft& draft) { return draft.capture_at_least(Capture::redacted); });
    CHECK(refused.error().code == Code::denied);
  }

  TEST_CASE("a media type that tells something is none") {
    Process process(all(Capture::redacted));
    auto repository = Repository::in_memory(process.options());
    Turn turn{.type = Type::user, .text = "x"};
    turn.attach = {{"a", "text/jo@somewhere.com"}, {"b", "text/plain"}};
    const Oid oid = repository->branch("main").commit(turn).value();
    const Turn kept = repository->branch("main").show(oid).value();
    CHECK(kept.attach[0].media_type == "application/octet-stream");
    CHECK(kept.attach[1].media_type == "text/plain");
  }

  TEST_CASE("facts keep numbers and words of machines, requests their structure") {
    const Hasher hasher([] { return Result<std::string>(kKey); });
    const std::string path = json::write_string(committed("/home/jo"));
    CHECK(
        facts_without_texts(R"({"model":"m","path":"/home/jo","cwd":"/home/jo","exit_code":1,)"
                            R"("tests":{"passed":3,"failed":["jo_test"]},"mark":"goal","x":null})",
                            hasher)
            .value() == R"({"exit_code":1,"mark":"goal","model":"m","path":)" + path +
                            R"(,"tests":{"failed":[],"passed":3},"x":null})");
    CHECK(
        facts_without_path(R"({"path":"/home/jo","tool":"x","n":{"path":"y"}})", hasher).value() ==
        R"({"n":{"path":"y"},"path":)" + path + R"(,"tool":"x"})");
    CHECK(facts_without_path(R"({"tool": "x"})", hasher).value() == R"({"tool": "x"})");
    const std::string tools =
        request_without_texts(R"([{"name":"ls","description":"of jo","input_schema":)"
                              R"({"type":"object","required":["path"]}}])",
                              hasher)
            .value();
    CHECK(tools.find("jo") == std::string::npos);
    CHECK(tools.find(R"("name":"ls")") != std::string::npos);
    CHECK(tools.find(R"("type":"object")") != std::string::npos);
    CHECK(request_without_texts(R"({"temperature":0.5,"user":"jo"})", hasher)
              .value()
              .starts_with(R"({"temperature":0.5,"user":"{\"bytes\":2)"));
    CHECK_FALSE(facts_without_texts("[]", hasher));
  }

  TEST_CASE("hashing again changes nothing, another key makes another commitment") {
    const Hasher one([] { return Result<std::string>(kKey); });
    const Hasher other([] { return Result<std::string>(std::string(32, 'o')); });
    const std::string once = one.hashed("text").value();
    CHECK(one.hashed(once).value() == once);
    CHECK(other.hashed("text").value() != once);
    CHECK(one.hashed("").value().empty());
    CHECK(*one.original_of(once) == "text");
    CHECK(other.original_of(once) == nullptr);
    Hasher forgetful([] { return Result<std::string>(kKey); });
    forgetful.keep_originals(false);
    CHECK(forgetful.original_of(forgetful.hashed("text").value()) == nullptr);
    const Hasher lost([]() -> Result<std::string> { return denied("no key"); });
    CHECK(lost.hashed("text").error().code == Code::denied);
  }

  TEST_CASE("a chat in mode hashed is sent what was said, and none of it is stored") {
    Folder folder;
    Process process(all(Capture::hashed));
    auto repository = Repository::create(folder.store(), process.options()).value();
    graph::Branch branch = repository->branch("main");
    branch.system("You are Margrave's butler.").value();
    agent::testing::ListModel model(
        {llm::say("Certainly, the Ruritanian tea."), llm::say("It is Lapsang.")});
    const llm::Candidate candidate{&model, "m", {}, {}};
    const auto first = llm::chat(branch, "Bring the tea of Ruritania.", candidate, {});
    REQUIRE(first);
    const auto second = llm::chat(branch, "Which is it?", candidate, {});
    REQUIRE(second);
    REQUIRE(model.requests.size() == 2);
    for (const char* said :
         {"Margrave", "Bring the tea of Ruritania", "Certainly, the Ruritanian", "Which is it?"}) {
      CHECK(model.requests[1].find(said) != std::string::npos);
    }
    CHECK(model.requests[1].find("hmac-sha256") == std::string::npos);
    const auto bundle = repository->reader().bundle(second->prompt).value();
    CHECK(bundle.digest == store::Bundle::Digest::hmac);
    // The process that has the texts can still show what was sent.
    CHECK(llm::sent_prompt(*repository, second->commit)->verdict ==
          llm::SentPrompt::Verdict::verified);
    const std::vector<std::string> words = {"Margrave", "Ruritania", "Lapsang", "Which is"};
    CHECK(found_in(folder, words) == std::vector<std::string>());
    CHECK(branch.show(second->commit).value().text == committed("It is Lapsang."));

    // Another process does not have them.
    repository.reset();
    Process other(all(Capture::hashed));
    repository = Repository::open(folder.store(), other.options()).value();
    branch = repository->branch("main");
    const auto refused = llm::generate(branch, candidate, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::denied);
    CHECK(refused.error().message.find("only a hash was kept") != std::string::npos);
    CHECK(model.requests.size() == 2);
    const auto sent = llm::sent_prompt(*repository, second->commit).value();
    CHECK(sent.verdict == llm::SentPrompt::Verdict::cannot_rebuild);
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("a run in mode hashed works as any other, and cannot be gone on with") {
    for (const agent::Strategy strategy :
         {agent::Strategy::react, agent::Strategy::plan_and_execute, agent::Strategy::reflexion}) {
      CAPTURE(agent::name_of(strategy));
      Folder folder;
      Process process(all(Capture::hashed));
      auto repository = Repository::create(folder.store(), process.options()).value();
      agent::Session session(*repository, "main");
      agent::Registry registry;
      agent::Tool tool;
      tool.id = "look";
      tool.description = "looks into the Wolpertinger box";
      std::string asked;
      tool.run = [&](std::string_view arguments, const agent::ToolContext&) {
        asked = arguments;
        return agent::gave("a Jackalope is inside");
      };
      REQUIRE(registry.add(std::move(tool)));
      agent::RunOptions options;
      options.registry = &registry;
      options.calling = agent::Calling::json;
      using agent::testing::step;
      const std::string look = R"("action":"look","action_input":{"where":"under Elwetritsch"})";
      const std::string finish = R"("action":"finish","final_answer":"It is a Jackalope.")";
      std::vector<llm::Reply> replies;
      if (strategy == agent::Strategy::plan_and_execute) {
        replies = {step(R"({"plan":[{)" + look + R"(,"rationale":"r"},{)" + finish + "}]}")};
      } else {
        replies = {step(R"({"thought":"Nessie?",)" + look + "}"), step("{" + finish + "}"),
                   step(R"({"verdict":"accept"})")};
      }
      agent::testing::ListModel model(replies);
      const llm::Candidate candidate{&model, "m", {}, {}};
      const auto result =
          agent::run(strategy, "Find the Yeti in the box.", candidate, session, options);
      REQUIRE_MESSAGE(result, result.error().message);
      CHECK(result->answer == "It is a Jackalope.");
      CHECK(asked.find("Elwetritsch") != std::string::npos);
      CHECK(model.requests.front().find("Find the Yeti") != std::string::npos);
      for (const std::string& request : model.requests) {
        CHECK(request.find("hmac-sha256") == std::string::npos);
      }
      const std::vector<std::string> words = {"Yeti", "Jackalope", "Elwetritsch", "Nessie",
                                              "Wolpertinger"};
      CHECK(found_in(folder, words) == std::vector<std::string>());

      repository.reset();
      Process other(all(Capture::hashed));
      repository = Repository::open(folder.store(), other.options()).value();
      const auto recording = agent::record::read_recording(*repository, result->run);
      REQUIRE_MESSAGE(recording, recording.error().message);
      CHECK(recording->ended == "goal_achieved");
      CHECK(agent::record::check_readable(recording->header).error().code == Code::denied);
      agent::Session again(*repository, "main");
      const auto resumed = agent::resume(result->run, candidate, again, options, {});
      REQUIRE_FALSE(resumed);
      CHECK(resumed.error().message.find("only hashes were kept") != std::string::npos);
    }
  }

  TEST_CASE("where only arguments are hashed events say so, and requests are verified by the key") {
    Folder folder;
    const FieldModes modes = read_field_modes("arguments=hashed").value().at_least(Capture::full);
    std::string run;
    {
      Process process(modes);
      auto repository = Repository::create(folder.store(), process.options()).value();
      run = edit_run(*repository).run;
    }
    CHECK(found_in(folder, {"src/yeti.cc"}) == std::vector<std::string>());

    Process other(all(Capture::full));
    auto repository = Repository::open(folder.store(), other.options()).value();
    const auto events = events_of_run(*repository, run);
    REQUIRE(events.size() == 4);
    for (const DecisionEvent& event : events) {
      CHECK(event.prompt_provenance.capture == Capture::full);
      CHECK(event.prompt_provenance.capture_fields == "arguments=hashed,raw=hashed");
    }
    CHECK(to_json(events[1]).find(R"("capture_fields":"arguments=hashed,raw=hashed")") !=
          std::string::npos);
    const AgentAction& edit = events[1].agent_action;
    CHECK(edit.summary.mode == Content::Mode::full);
    CHECK(edit.summary.text == "edit_file");
    REQUIRE(edit.artifacts.size() == 1);
    CHECK(edit.artifacts[0].path->mode == Content::Mode::hashed);
    CHECK(edit.artifacts[0].path->bytes == 11);
    CHECK(edit.artifacts[0].summary.mode == Content::Mode::hashed);

    // The first request had no arguments, so its bytes are there; the second had some.
    using Sent = llm::SentPrompt;
    CHECK(llm::sent_prompt(*repository, events[0].commit)->verdict == Sent::Verdict::verified);
    CHECK(llm::sent_prompt(*repository, events[2].commit)->withheld == Sent::Withheld::hashed);
    // Without the key nothing can be said of either.
    repository.reset();
    Process keyless(all(Capture::full), "");
    repository = Repository::open(folder.store(), keyless.options()).value();
    CHECK(llm::sent_prompt(*repository, events[0].commit)->withheld == Sent::Withheld::hashed);
    Auditor auditor(*repository, {});
    for (const DecisionEvent& event : events) REQUIRE(auditor.add(event));
    for (const Failing& failing : auditor.finish()) CHECK_FALSE(failing.is_error);
  }

  TEST_CASE("each slot of an event follows the mode; words of ours are no content") {
    for (const Capture mode : {Capture::redacted, Capture::hashed}) {
      Process process(all(mode));
      const auto repository = Repository::in_memory(process.options());
      const auto events = events_of_run(*repository, edit_run(*repository).run);
      REQUIRE(events.size() == 4);
      const bool is_hashed = mode == Capture::hashed;
      const auto own = is_hashed ? Content::Mode::full : Content::Mode::redacted;
      const auto said = is_hashed ? Content::Mode::hashed : Content::Mode::redacted;
      CHECK(events[0].agent_action.summary.mode == own);
      CHECK(events[0].agent_action.summary.text == "asks for edit_file");
      CHECK(events[1].agent_action.summary.mode == own);
      REQUIRE(events[1].agent_action.artifacts.size() == 1);
      CHECK(events[1].agent_action.artifacts[0].path->mode == said);
      CHECK(events[2].agent_action.summary.mode == said);
      CHECK(events[2].prompt_provenance.capture_fields.empty());
      CHECK(to_json(events[1]).find("capture_fields") == std::string::npos);
    }
  }

  TEST_CASE("one call may ask for less to be kept of its question and its answer") {
    Process process(all(Capture::full));
    auto repository = Repository::in_memory(process.options());
    graph::Branch branch = repository->branch("main");
    agent::testing::ListModel model({llm::say("one"), llm::say("two")});
    const llm::Candidate candidate{&model, "m", {}, {}};
    REQUIRE(llm::chat(branch, "first", candidate, {}));
    llm::GenerateOptions options;
    options.capture = Capture::hashed;
    const auto hashed = llm::chat(branch, "second", candidate, options);
    REQUIRE(hashed);
    CHECK(model.requests[1].find("second") != std::string::npos);
    const auto prompt = branch.compile().value();
    CHECK(prompt.messages[0].text() == "first");
    CHECK(prompt.messages[1].text() == "one");
    CHECK(prompt.messages[2].text() == committed("second"));
    CHECK(prompt.messages[3].text() == committed("two"));
  }

  TEST_CASE("of 5,000 made-up secrets none is on the disk in mode hashed either") {
    const auto secrets = made_up_secrets(5'000, 20261122);
    Folder folder;
    Process process(all(Capture::hashed));
    std::vector<std::string> words;
    {
      auto repository = Repository::create(folder.store(), process.options()).value();
      const auto written = repository->transact(
          "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
            for (std::size_t i = 0; i < secrets.size(); ++i) {
              const std::string& text = secrets[i].text;
              Turn turn{.type = Type::assistant};
              if (i % 4 == 0) turn.text = text;
              if (i % 4 == 1) {
                turn.fields.tool_calls = {{"c", "run", "{\"x\":" + json::write_string(text) + "}"}};
              }
              if (i % 4 == 2) turn.attach = {{text, "text/plain"}};
              if (i % 4 == 3) turn.extra.message = text;
              TRY(draft.append("refs/heads/main", turn));
            }
            return {};
          });
      REQUIRE_MESSAGE(written, written.error().message);
    }
    for (const Told& told : secrets) words.push_back(told.secret);
    CHECK(found_in(folder, words) == std::vector<std::string>());
  }
}

}  // namespace spoor::guard
