#pragma once

/// spoor: version control for what an agent was thinking.
///
///     spoor::Store store = spoor::Store::create("run.spoor").value();
///     spoor::Branch branch = store.branch("main");
///     branch.user("find the bug").value();
///     spoor::Prompt prompt = branch.compile().value();
///
/// Everything that can fail returns a Result: a value, or an Error with a code for programs, and a
/// message and a hint for people. <spoor/json.h> adds metadata and tools as JSON values.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "store/oid.h"

namespace spoor {

/// The name of a commit: the SHA-256 of what it contains. `hex()` prints it.
using Id = store::Oid;

/// A call of a tool that a model asks for.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  ///< as the model wrote them: a JSON object, if it kept to its format

  bool operator==(const ToolCall&) const = default;
};

/// A turn as it is stored.
struct Turn {
  Id id;
  std::string type;  ///< system, user, reasoning, assistant, tool, note, edit, annotate, …
  std::string text;
  std::vector<ToolCall> calls;  ///< of an assistant turn
  std::string call_id;          ///< of a tool turn: the call it answers
  std::string tool;             ///< of a tool turn
  bool is_error = false;        ///< of a tool turn: the call failed
  std::string author;           ///< may be empty
  std::optional<std::chrono::sys_time<std::chrono::microseconds>> time;
  std::string metadata;     ///< a JSON object
  std::vector<Id> parents;  ///< the first is the turn before
};

/// How a prompt is compiled. The defaults give what a model is sent.
struct CompileOptions {
  bool include_reasoning = false;      ///< with reasoning that no annotation skips
  std::optional<std::int64_t> window;  ///< only the newest turns, this many; pinned turns stay
  std::optional<std::int64_t> budget;  ///< at most this many tokens; pinned turns stay
};

/// One message of a prompt.
struct Message {
  std::string role;  ///< system, developer, user, assistant or tool
  std::string text;
  std::vector<ToolCall> calls;
  Id commit;  ///< the turn it comes from
};

/// A format in which providers take messages.
enum class Format {
  openai_chat,  ///< the array `messages` of an OpenAI chat completion
  anthropic,    ///< the members `system` and `messages` of an Anthropic request
  text,         ///< for people
};

/// The prompt at a commit: the same in every process, for ever.
class Prompt {
 public:
  const std::vector<Message>& messages() const;
  std::uint64_t tokens() const;  ///< an estimate of four bytes a token
  Id hash() const;               ///< equal for equal prompts

  /// Returns the messages in a provider's format.
  std::string render(Format format) const;

  struct Body;  ///< not for programs

 private:
  friend struct Access;
  std::shared_ptr<const Body> body_;
};

/// What tokens were used, as the provider reported it; nullopt where it did not.
struct Usage {
  std::optional<std::uint64_t> input;   ///< of the request, not from a cache
  std::optional<std::uint64_t> cached;  ///< of the request, from a cache
  std::optional<std::uint64_t> output;  ///< with reasoning
};

/// A model that can be asked. Cheap to copy: copies share the connection. Safe from any thread.
class Model {
 public:
  /// How a model is reached.
  struct Options {
    std::optional<std::string> key;  ///< nullopt: from the provider's variable (ANTHROPIC_API_KEY)
    std::string base_url;            ///< empty: the provider's own
    std::string params;  ///< further members of each request, a JSON object; empty: none
    /// Dollars per million tokens, such as `input=2.5 cached=0.25 output=15`; empty: the public
    /// price, if it is known.
    std::string rates;
  };

  /// Opens `PROVIDER/MODEL`, such as `anthropic/claude-sonnet-5`, with retries. Connects at the
  /// first call. Code::denied without a key, Code::not_found for an unknown provider.
  ///
  /// `scripted/FILE` needs no key: it answers with the lines of a file, each the body of a reply of
  /// a provider, at the price of the model that the reply names.
  static Result<Model> open(std::string_view name);
  static Result<Model> open(std::string_view name, Options options);

  /// Makes a model that answers with these texts, one after the other: for tests, without network
  /// or key. An answer after the last one is an error.
  static Model scripted(std::vector<std::string> answers);

  struct Body;  ///< not for programs

 private:
  friend struct Access;
  std::shared_ptr<Body> body_;
};

/// How a model is asked.
struct AskOptions {
  CompileOptions compile;
  bool commit_reasoning = true;
  std::function<void(std::string_view piece)> on_text;  ///< gets the answer as it comes
  std::stop_token stop;                                 ///< ends the call; what came is committed
};

/// A model's answer; it is committed.
struct Answer {
  Id commit;
  std::string text;
  std::string reasoning;  ///< may be empty
  std::vector<ToolCall> calls;
  std::string finish_reason;  ///< in the provider's words
  Usage usage;
  std::optional<double> dollars;  ///< nullopt: the price is unknown
};

/// The result of a call of a tool: what the model sees.
struct ToolResult {
  std::string text;
  bool is_error = false;
};

/// A tool that a model may call. typed_tool() in <spoor/json.h> makes one from a struct.
struct Tool {
  std::string id;           ///< letters, digits, `_`, `-`, `.`; at most 64
  std::string description;  ///< for the model: what it does and returns
  std::string parameters;   ///< a JSON Schema of the arguments, an object; empty: no arguments
  /// Gets arguments that fit `parameters`. An exception is an error that the model sees.
  std::function<ToolResult(const nlohmann::json& arguments)> run;
  bool read_only = false;       ///< changes nothing: calls may run at the same time
  bool needs_approval = false;  ///< a person must approve each call: RunOptions::person
};

/// A person's answer to a call that needs approval.
struct Approval {
  bool allows = false;
  std::string reason = {};  ///< recorded; a refused model is told it
};

/// How an agent plans: docs/agents.md.
enum class Strategy { react, plan_and_execute, reflexion };

/// A planner of a program's own: a run asks it for one move after the other, makes it, and shows it
/// what came of it. Its moves must follow from that and the goal alone. For one thread.
class Planner {
 public:
  virtual ~Planner() = default;

  /// Tells the model something, unless it is empty, and asks it. The model answers with text.
  struct Ask {
    std::string message;
  };
  /// Calls a tool of the run.
  struct Act {
    std::string tool;
    std::string arguments = "{}";  ///< a JSON object
    std::string why = {};          ///< its reason, at most 280 characters; empty: none
  };
  /// Ends the run.
  struct Stop {
    std::string reason;  ///< a word: small letters, digits, `_`, `-`; shown by `spoor debrief`
    std::optional<std::string> answer = {};
    std::string why = {};
    bool achieves_goal = true;  ///< false: RunResult::stopped is `planner`
  };
  using Move = std::variant<Ask, Act, Stop>;

  /// The outcome of a move: the model's answer, or a tool's result.
  struct Seen {
    std::string text;
    bool is_error = false;
    Id commit;
  };

  virtual std::string name() const = 0;  ///< recorded with the run; a word as Stop::reason is
  virtual std::string system_prompt(std::string_view tools) const = 0;
  virtual void begin(std::string_view goal) = 0;  ///< called before the first step
  virtual Result<Move> step() = 0;
  virtual void observe(const Seen& seen) = 0;
};

struct SubAgent;

/// How an agent runs. Arguments of calls are given to functions as the JSON text of an object; all
/// functions are called on the run's thread.
struct RunOptions {
  Strategy strategy = Strategy::react;
  Planner* planner = nullptr;  ///< in place of `strategy`; must outlive the run
  bool synthesize = false;     ///< of plan_and_execute: always write the answer from what was seen
  std::vector<Tool> tools = {};
  std::vector<SubAgent> agents;  ///< each is a tool, too
  /// Adds the tools `memory.learn` and `memory.recall`. They see the shared memory and the private
  /// one of the agent with this name; empty: only the shared one.
  std::optional<std::string> memory_of = {};
  std::string instructions = {};  ///< added after the system prompt
  std::int64_t max_steps = 10;
  std::optional<double> max_dollars = {};        ///< of this run and of all that it starts
  std::optional<std::uint64_t> max_tokens = {};  ///< likewise, of all requests and answers
  bool native_calls = true;  ///< false: the model writes calls as JSON text, for models without
  bool strict_refs = false;  ///< refuse a call whose reason cites something unknown

  /// Asks a person about a call of a tool that needs approval. Nullopt, or no function: no person
  /// is there, so the run stops (RunResult::waits_for) until Branch::resume() has the answer.
  std::function<std::optional<Approval>(std::string_view tool, std::string_view arguments)> person =
      {};
  /// Looks at each call before it is made. A text refuses the call: the model is told it, and both
  /// are recorded.
  std::function<std::optional<std::string>(std::string_view tool, std::string_view arguments)>
      before_call = {};
  /// Gets the result of each call that was not refused, including, on resume, the recorded ones.
  std::function<void(std::string_view tool, std::string_view arguments, const ToolResult& result)>
      after_call = {};
  /// Gets what happens, as it happens: `started`, `asking` (a model), `text` and `thinking` (more
  /// of the answer), `waiting`, `call` (the text is the tool), `output` (of a running tool, from
  /// its thread), `result`, `warning`, `ended`; the words of `spoor chat --json-lines`.
  std::function<void(std::string_view event, std::string_view text)> on_event = {};
  std::stop_token stop = {};
};

/// An agent as a tool of another: the tool takes a `goal` and returns the answer. Each call is a
/// run on a branch of its own, `BRANCH-ID-1` and so on. It sees the goal and nothing else, may
/// spend what is left of the caller's budget, and ends with the caller. A call in it that waits for
/// a person fails: give it a `person`.
struct SubAgent {
  std::string id;           ///< of the tool
  std::string description;  ///< for the calling model; empty: a general one
  Model model;
  RunOptions options = {};
};

/// A step of a run: a thought, a call and its result.
struct Step {
  Id commit;        ///< compile there to see what was known then
  Id answer;        ///< the model's answer with this call: for Store::sent_request()
  std::string why;  ///< the reason that the model gave for the call; may be empty
  std::string thought;
  std::string action;       ///< a tool, or `finish`
  std::string input;        ///< JSON
  std::string observation;  ///< JSON; empty for `finish`
  bool is_error = false;
  std::string started;            ///< the id of a sub-agent's run, for debrief(); empty: none
  std::optional<double> dollars;  ///< what the call itself cost, such as a sub-agent's run
};

/// What came of a run. Every step of it is committed.
struct RunResult {
  std::string run;                    ///< its id, for `spoor debrief`
  std::string stopped;                ///< goal_achieved, max_steps, max_cost, error, planner, …
  std::string by;                     ///< what ended it: final_answer, critic, a Stop's reason, …
  std::optional<std::string> answer;  ///< nullopt if it ended without one
  std::string best;   ///< what a run without its goal has: an answer, or what was observed
  std::string error;  ///< only if `stopped` is error
  std::vector<Step> steps;
  double dollars = 0;          ///< of this run and of all that it started, in every process
  std::uint64_t tokens = 0;    ///< likewise
  bool is_cost_known = false;  ///< false: a price or a count is unknown; it may have cost more
  std::string waits_for;   ///< the tool whose call waits for a person, `AGENT: TOOL` if a called
                           ///< agent wants to make it; empty: none
  std::string waits_with;  ///< that call's arguments, a JSON object
};

class Store;

/// A branch by its name. Several handles, threads and processes may write to one branch: a turn
/// goes after the newest, and none is lost. Use a handle from one thread at a time. It keeps the
/// store open.
class Branch {
 public:
  const std::string& name() const;

  /// Each appends a turn, as one transaction, and returns its id. `metadata` is a JSON object, kept
  /// with the turn and not sent to models: Code::invalid if it is none.
  Result<Id> system(std::string_view text);
  Result<Id> user(std::string_view text);
  Result<Id> reasoning(std::string_view text);
  Result<Id> assistant(std::string_view text, std::vector<ToolCall> calls = {});
  Result<Id> tool(std::string_view text, const ToolCall& call, bool is_error = false);
  Result<Id> system(std::string_view text, const nlohmann::json& metadata);
  Result<Id> user(std::string_view text, const nlohmann::json& metadata);
  Result<Id> reasoning(std::string_view text, const nlohmann::json& metadata);
  Result<Id> assistant(std::string_view text, std::vector<ToolCall> calls,
                       const nlohmann::json& metadata);
  Result<Id> tool(std::string_view text, const ToolCall& call, bool is_error,
                  const nlohmann::json& metadata);

  /// Replaces the text of an earlier turn in the prompts from here on.
  Result<Id> edit(const Id& turn, std::string_view text);

  /// Keeps a turn in every prompt, or leaves it out.
  Result<Id> pin(const Id& turn, std::string_view reason = {});
  Result<Id> skip(const Id& turn, std::string_view reason = {});

  /// Returns nullopt if the branch has no turn yet.
  Result<std::optional<Id>> tip() const;
  Result<Prompt> compile(const CompileOptions& options = {}) const;

  /// Makes a branch that begins at this one's tip. Code::conflict if `name` is taken.
  Result<Branch> fork(std::string_view name) const;

  /// Asks the model for the next turn and commits its answer with its reasoning. What arrived
  /// before a failure is committed, too.
  Result<Answer> generate(const Model& model, const AskOptions& options = {});

  /// Commits `text` as a user's turn, then does the same.
  Result<Answer> chat(std::string_view text, const Model& model, const AskOptions& options = {});

  /// Lets an agent work towards `goal`. An error of the model or of a tool ends the run with a
  /// result; errors are those of the options and of the store.
  Result<RunResult> run(std::string_view goal, const Model& model, const RunOptions& options = {});

  /// Continues a run of this branch whose process ended, that reached a limit, or that waits for a
  /// person: `approval` answers. `run` is its id, a prefix of it, or `latest`. What is recorded is
  /// neither asked nor made again; a call without a recorded result is `effect unverified`.
  /// `options` must have the tools of the run; limits may differ. Code::conflict if the run has
  /// reached its goal or is not on this branch.
  Result<RunResult> resume(std::string_view run, const Model& model, const RunOptions& options = {},
                           std::optional<Approval> approval = std::nullopt);

  struct Body;  ///< not for programs

 private:
  friend struct Access;
  std::shared_ptr<Body> body_;
};

/// An open store. Cheap to copy: copies share it. Safe from any thread, but for call().
class Store {
 public:
  /// How a store is opened.
  struct Options {
    std::string author;      ///< of turns; empty: `user`
    bool read_only = false;  ///< nothing can be written
  };

  /// Opens the file at `path`: Code::not_found if there is none.
  static Result<Store> open(const std::string& path);
  static Result<Store> open(const std::string& path, const Options& options);
  /// Makes it: Code::conflict if there is a file.
  static Result<Store> create(const std::string& path);
  static Result<Store> create(const std::string& path, const Options& options);
  /// Makes a store in memory, for tests.
  static Store in_memory();

  /// Returns a branch. It need not exist: its first turn makes it.
  Branch branch(std::string_view name) const;
  /// Returns the names of all branches.
  Result<std::vector<std::string>> branches() const;

  /// Finds the commit that a revision names: `main`, `main~2`, `tag:x`, digits of an id, ….
  Result<Id> resolve(std::string_view revision) const;
  Result<Turn> turn(const Id& id) const;
  /// Visits a turn and those before it, newest first, until `visit` returns false.
  Result<void> log(const Id& from, const std::function<bool(const Turn&)>& visit) const;
  Result<Prompt> compile(const Id& commit, const CompileOptions& options = {}) const;

  /// Returns the body of the request that an answer came from, byte for byte as it was sent, after
  /// checking its digest. Code::corrupt if it differs, Code::unavailable if a part is missing.
  Result<std::string> sent_request(const Id& answer) const;

  /// Explains a run and its outcomes, as text for people.
  Result<std::string> debrief(std::string_view run) const;

  /// Runs a command of the program by its name (`sessions`, `calls`, `cost`, …) and returns its
  /// `--json` document. `arguments` is a JSON object of its parameters. Code::not_found for another
  /// name.
  Result<std::string> call(std::string_view command, std::string_view arguments = "{}") const;

  struct Body;  ///< not for programs

 private:
  friend struct Access;
  std::shared_ptr<Body> body_;
};

}  // namespace spoor
