#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "llm/money.h"
#include "llm/source_usage.h"
#include "llm/usage.h"
#include "store/reader.h"

/// Typed steps of a session or a run, derived from commits. Every view of a run is a fold over
/// these steps.
namespace spoor::trace {

using store::NamedCommit;
using store::Oid;

/// How far a number can be trusted.
using Trust = llm::UsageTrust;
using llm::name_of;

/// Tokens and money that one step took.
struct Spent {
  llm::Usage usage;                 ///< by kind; a kind that is absent is unknown, not zero
  std::optional<llm::Money> cost;   ///< as the source or spoor's own record states it
  Trust trust = Trust::unknown;     ///< of `usage`
  std::uint64_t unknown_costs = 0;  ///< requests in it that may have cost more than `cost` has

  bool is_known() const { return usage != llm::Usage() || cost.has_value(); }
};

/// Why a call was made. Names the text without containing it; read_reason() reads it.
struct Reason {
  enum class Source {
    none,
    rationale,    ///< the model was asked for a reason and gave it
    thinking,     ///< the reasoning before the answer
    prose,        ///< the text of the answer that asks for the call
    description,  ///< the member `description` of the arguments
  };
  Source source = Source::none;
  std::optional<Oid> where;          ///< of a rationale the fields, of thinking and prose the text
  std::int64_t call = 0;             ///< of a rationale: the number of its call there
  std::optional<double> confidence;  ///< of a rationale: as stated there
  std::string text;                  ///< of a description
};
std::string_view name_of(Reason::Source source);

/// A call that an answer asks for.
struct AskedCall {
  std::uint64_t number = 0;  ///< among all calls of the trace, from 1
  std::string id;            ///< the provider's; empty: the call was written as text
  std::string name;          ///< as the model wrote it
  std::string arguments;     ///< the provider's text; empty if it was not read
  Reason reason;
};

/// A request: a user's turn, or a turn that a program added.
struct Request {
  bool is_injected = false;  ///< by a program
};

/// A system prompt, or a document in the prompt.
struct Context {};

/// The answer of a model. Several commits with one message id are one answer.
struct Message {
  std::vector<NamedCommit> records;    ///< the assistant commits in order; none: reasoning alone
  std::vector<NamedCommit> reasoning;  ///< that led to them
  std::string id;                      ///< the provider's name of the message; may be empty
  std::string provider, model;         ///< may be empty
  std::string source;                  ///< the importer that read it; empty: spoor asked the model
  std::string finish_reason;           ///< the provider's word; may be empty
  std::string cut_off;                 ///< why the answer ended early; empty: it did not
  Spent spent;
  std::vector<AskedCall> calls;
  /// When the turn before it was written, and when its last record was. Nullopt if the source has
  /// no times.
  std::optional<Timestamp> started, ended;
  bool is_plan = false;        ///< its calls are steps of a plan, begun later or never
  bool is_from_cache = false;  ///< a recorded reply: no request was sent
  bool is_critic = false;      ///< of the critic's own chain
  /// Another answer interrupted the commits of this message, and an earlier step counted the
  /// message's tokens and cost.
  bool continues = false;
};

/// The result of a call.
enum class Outcome {
  ok,
  failed,      ///< an error, or an exit code other than 0
  refused,     ///< it was not made
  unanswered,  ///< no result is recorded
};
std::string_view name_of(Outcome outcome);

/// A call that was answered, or that has no answer when the trace ends.
struct Call {
  AskedCall asked;                    ///< `number` 0: not is_asked()
  std::optional<Oid> answer;          ///< the first record of the message that asked
  std::int64_t place = 0;             ///< its number in that answer, from 1
  std::string tool;                   ///< as it ran; the same as `asked.name` for most
  std::optional<NamedCommit> result;  ///< nullopt: unanswered
  Outcome outcome = Outcome::unanswered;
  bool is_planned = false;  ///< a step of a plan: not counted before
  bool is_error = false;    ///< the result itself is marked as an error
  std::optional<std::int64_t> exit_code;
  std::optional<Timestamp> started;         ///< when the answer that asks for it was written
  std::optional<std::int64_t> duration_ms;  ///< as measured
  std::string artifact;                     ///< of spoor's own tools: file_edit, command, test_run
  std::string child_run;                    ///< the run of the agent that was called; empty: none
  Spent spent;

  /// False: a result whose call is not recorded. It is a turn, and counts of calls leave it out.
  bool is_asked() const { return asked.number > 0; }
};

/// A request to a model that got no answer.
struct FailedRequest {
  std::string model;          ///< that was asked; may be empty
  std::string provider = {};  ///< may be empty
  Spent spent = {};           ///< if the provider counted tokens before it failed
  std::uint64_t turns = 0;    ///< messages of the conversation that contain only the error
  std::uint64_t lost = 0;     ///< how often it was sent, if its process ended before an answer was
                              ///< recorded; 0: it failed
};

/// Earlier turns were replaced by a summary.
struct Compaction {
  std::string provider, model;  ///< that wrote the summary; may be empty
  Spent spent;
};

/// An act of the agent or its runtime.
struct Decision {
  std::string word;                ///< `run-started`, `assumption`, … (docs/agents.md)
  std::optional<AskedCall> begun;  ///< of `step-started`: the step of the plan
};

/// A message of a planner to the model.
struct Nudge {
  std::string mark;  ///< nudge, critique, replan, answer, ask
};

/// The run ended.
struct End {
  std::string stopped;  ///< goal_achieved, max_steps, error, …
  std::string by = {};  ///< what ended it; for `planner` the reason of a planner's own
};

/// One event of a session or run.
struct Step {
  using What = std::variant<Request, Context, Message, Call, FailedRequest, Compaction, Decision,
                            Nudge, End>;

  NamedCommit at;             ///< the commit that records it; for an answered call, its result
  std::string run;            ///< the id of the run it belongs to; empty: of none
  std::int64_t turn = 0;      ///< in a run its `step` in meta, else the number of the answer
  bool is_inherited = false;  ///< from the run that this one continues
  What what;
};

}  // namespace spoor::trace
