#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The facts that the meta of a commit may hold. Each key stands here and nowhere else, with the
/// type of its value; Facts (turn.h) writes them, FactsView (facts_view.h) reads them. What an
/// importer copies keeps the type that its source gave it: a reader that finds another type than
/// the one here finds nothing.
///
/// Keys that are not here belong to whoever wrote them: a user's own tool, `spoor batch`.
namespace spoor::fact {

/// Any JSON value, as canonical text.
struct Json {};

/// A key, whatever its value.
struct Key {
  std::string_view key;
};

/// A key whose values are texts, integers of at most 53 bits, `true` or any JSON.
template <class Value>
struct Fact : Key {};

using Text = Fact<std::string>;
using Integer = Fact<std::int64_t>;
using Flag = Fact<bool>;  ///< true, or not there
using Any = Fact<Json>;

// ---- Where a turn comes from ----
inline constexpr Text source{"source"};    ///< the importer that made the turn
inline constexpr Text session{"session"};  ///< the source's id of the session; a run's branch
inline constexpr Text uuid{"uuid"};        ///< the source's id of the record
inline constexpr Text agent{"agent"};      ///< the source's id or name of a sub-agent
inline constexpr Text agent_version{"agent_version"};  ///< of the program that wrote the source
inline constexpr Text cwd{"cwd"};                      ///< its working folder
inline constexpr Text git_branch{"git_branch"};        ///< the branch checked out there
inline constexpr Text entrypoint{"entrypoint"};        ///< how the program was started
inline constexpr Text slug{"slug"};                    ///< the source's name of a session
inline constexpr Text turn_id{"turn_id"};              ///< the source's id of a user's turn
inline constexpr Text prompt_id{"prompt_id"};          ///< the source's id of a prompt
inline constexpr Any prompt_index{"prompt_index"};     ///< the number of a prompt in its session
inline constexpr Any origin{"origin"};  ///< what brought the turn in, in the source's words
inline constexpr Any prompt_source{"prompt_source"};          ///< how it was entered
inline constexpr Any permission_mode{"permission_mode"};      ///< what the agent might do unasked
inline constexpr Any thinking_metadata{"thinking_metadata"};  ///< how much thinking was asked for
inline constexpr Any message_type{"message_type"};  ///< the source's word for a kind of message
inline constexpr Text kind{"kind"};                 ///< the source's word; `memory` on a memory
inline constexpr Flag injected{"injected"};         ///< the program put the turn in, not a person
inline constexpr Any api_error{"api_error"};        ///< the answer is the program's, of a failure
inline constexpr Text error{"error"};               ///< what the source says went wrong
inline constexpr Text shape{"shape"};               ///< the form of the provider's item
inline constexpr Integer rules{"rules"};            ///< on the mark of a line: which rules read it

// ---- What a model made ----
inline constexpr Text provider{"provider"};  ///< who was asked
inline constexpr Text model{"model"};        ///< its name, as the provider answers it
inline constexpr Text model_fingerprint{"model_fingerprint"};  ///< the provider's id of its build
inline constexpr Text advisor_model{"advisor_model"};          ///< a second model that advised
inline constexpr Any effort{"effort"};                         ///< how much thinking was asked for
inline constexpr Text message_id{"message_id"};                ///< joins the commits of one message
inline constexpr Text response_id{"response_id"};  ///< the provider's id, where it joins nothing
inline constexpr Text request_id{"request_id"};    ///< the provider's id of the request
inline constexpr Text finish_reason{"finish_reason"};  ///< the provider's word
inline constexpr Any stop_sequence{"stop_sequence"};   ///< the text that ended the answer
inline constexpr Any usage{"usage"};                   ///< the provider's own object
inline constexpr Any tokens{"tokens"};  ///< the same counts in the meaning of llm::Usage
inline constexpr Integer reasoning_tokens{"reasoning_tokens"};  ///< of a reasoning
inline constexpr Any input_transformations{
    "input_transformations"};                       ///< what the provider changed in the request
inline constexpr Any cost_usd{"cost_usd"};          ///< US dollars, a number
inline constexpr Flag from_cache{"from_cache"};     ///< a kept reply: nothing was sent
inline constexpr Integer attempts{"attempts"};      ///< requests that it took, from 2
inline constexpr Integer latency_ms{"latency_ms"};  ///< from the first request to the end
inline constexpr Text interrupted{"interrupted"};   ///< an answer that was cut off: why
inline constexpr Text failure{"failure"};           ///< why a request failed
inline constexpr Integer status{"status"};          ///< of HTTP
inline constexpr Text capture{"capture"};           ///< what is kept of the prompt
inline constexpr Text capture_fields{"capture_fields"};  ///< likewise, field by field
inline constexpr Flag raw_altered{"raw_altered"};  ///< a key was taken out of a provider's item
inline constexpr Text retrieved_from{"retrieved_from"};  ///< where a text of the prompt was found

// ---- Calls and results ----
inline constexpr Text action{"action"};      ///< the tool that an answer's text calls
inline constexpr Any calls{"calls"};         ///< names of the native calls, in their order
inline constexpr Any reasons{"reasons"};     ///< by the number of a call, its confidence or true
inline constexpr Text mark{"mark"};          ///< goal, observation, nudge or critique
inline constexpr Text call_id{"call_id"};    ///< of the call that a user turn answers
inline constexpr Integer call{"call"};       ///< the number of a call in its answer, from 1
inline constexpr Text tool{"tool"};          ///< the tool's id
inline constexpr Text outcome{"outcome"};    ///< of a call: ok or error
inline constexpr Flag is_error{"is_error"};  ///< on a user turn: the call it answers failed
inline constexpr Flag is_json{"is_json"};    ///< the tool's result is JSON
inline constexpr Text refused_by{"refused_by"};  ///< the call was not made: tools, reasons, gate, …
inline constexpr Text rule{"rule"};              ///< the id of what refused it
inline constexpr Flag unverified{"unverified"};   ///< the process ended while it ran
inline constexpr Text artifact{"artifact"};       ///< command, test_run, file_edit or http_response
inline constexpr Integer exit_code{"exit_code"};  ///< of a command
inline constexpr Integer signal{"signal"};        ///< that ended a command
inline constexpr Flag timed_out{"timed_out"};     ///< a command took longer than it might
inline constexpr Flag was_stopped{"interrupted"};       ///< a command that a person stopped
inline constexpr Integer duration_ms{"duration_ms"};    ///< of a call
inline constexpr Integer output_bytes{"output_bytes"};  ///< of a command, where some are left out
inline constexpr Any protected_changed{
    "protected_changed"};             ///< write-protected files that changed while a command ran
inline constexpr Any tests{"tests"};  ///< counts of a run of tests
inline constexpr Text path{"path"};   ///< of the file edited
inline constexpr Integer lines_added{"lines_added"};      ///< by an edit
inline constexpr Integer lines_removed{"lines_removed"};  ///< by an edit
inline constexpr Integer matches{"matches"};              ///< that a search found
inline constexpr Text url{"url"};                         ///< of a page that was fetched
inline constexpr Text media_type{"media_type"};           ///< of that page
inline constexpr Text subrun{"subrun"};                   ///< the run that the call started

// ---- Runs and decisions (docs/agents.md) ----
inline constexpr Text run{"run"};                     ///< the run's id
inline constexpr Integer step{"step"};                ///< from 1
inline constexpr Text planner{"planner"};             ///< its name
inline constexpr Text principal{"principal"};         ///< on whose behalf
inline constexpr Text purpose{"purpose"};             ///< what was asked for: agent, plan or critic
inline constexpr Text decision{"decision"};           ///< the decision's word
inline constexpr Text with{"with"};                   ///< `answer`: it was written with the answer
inline constexpr Text stopped{"stopped"};             ///< how a run ended
inline constexpr Text by{"by"};                       ///< what ended it; who judged
inline constexpr Any limit{"limit"};                  ///< the threshold that ended it
inline constexpr Any spent{"spent"};                  ///< what was spent then
inline constexpr Flag cut_off{"cut_off"};             ///< a call's result may be missing
inline constexpr Flag no_answer{"no_answer"};         ///< a run that ended without one
inline constexpr Text forked_from{"origin"};          ///< the run that this one goes on from
inline constexpr Integer from_step{"from_step"};      ///< the step it was forked at
inline constexpr Text caller_run{"caller_run"};       ///< the run that called this one
inline constexpr Integer caller_call{"caller_call"};  ///< by which call
inline constexpr Integer n{"n"};                      ///< of a new plan, from 1
inline constexpr Integer count{"count"};              ///< of what a decision counts
inline constexpr Integer turns{"turns"};              ///< that were left out
inline constexpr Text from{"from"};                   ///< the strategy before
inline constexpr Text to{"to"};                       ///< and after

// ---- Notes ----
inline constexpr Text note{"note"};             ///< `evaluation`: what checks found
inline constexpr Any checks{"checks"};          ///< their results without texts
inline constexpr Flag is_override{"override"};  ///< a person's judgement counts instead
inline constexpr Text verdict{"status"};        ///< what their judgement comes to
inline constexpr Text tombstone{"tombstone"};   ///< on a note: the list of what was erased

}  // namespace spoor::fact
