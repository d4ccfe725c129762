#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The facts that the meta of a commit may contain. Each key is defined only here, with the type of
/// its value; Facts (turn.h) writes them, FactsView (facts_view.h) reads them. Facts copied by an
/// importer keep the type of their source: a reader ignores a fact of another type than the one
/// here.
///
/// Other keys belong to their writers: a user's own tool, `spoor batch`.
namespace spoor::fact {

/// Any JSON value, as canonical text.
struct Json {};

/// A key with a value of any type.
struct Key {
  std::string_view key;
};

/// A key with a typed value: text, an integer of at most 53 bits, `true`, or any JSON.
template <class Value>
struct Fact : Key {};

using Text = Fact<std::string>;
using Integer = Fact<std::int64_t>;
using Flag = Fact<bool>;  ///< true or absent
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
inline constexpr Any origin{"origin"};                 ///< the turn's origin, in the source's words
inline constexpr Any prompt_source{"prompt_source"};   ///< how it was entered
inline constexpr Any permission_mode{"permission_mode"};      ///< actions allowed without asking
inline constexpr Any thinking_metadata{"thinking_metadata"};  ///< how much thinking was requested
inline constexpr Any message_type{"message_type"};  ///< the source's word for a kind of message
inline constexpr Text kind{"kind"};                 ///< the source's word; `memory` on a memory
inline constexpr Flag injected{"injected"};         ///< the program added the turn, not a person
inline constexpr Any api_error{"api_error"};        ///< the program's own answer after a failure
inline constexpr Text error{"error"};               ///< an error reported by the source
inline constexpr Text shape{"shape"};               ///< the form of the provider's item
inline constexpr Integer rules{"rules"};            ///< on an import's mark: version of its rules

// ---- What a model made ----
inline constexpr Text provider{"provider"};  ///< the provider that was called
inline constexpr Text model{"model"};        ///< its name, in the provider's answer
inline constexpr Text model_fingerprint{"model_fingerprint"};  ///< the provider's id of its build
inline constexpr Text advisor_model{"advisor_model"};          ///< a second model that advised
inline constexpr Any effort{"effort"};                         ///< how much thinking was requested
inline constexpr Text message_id{"message_id"};                ///< joins the commits of one message
inline constexpr Text response_id{"response_id"};  ///< the provider's id, if it joins no commits
inline constexpr Text request_id{"request_id"};    ///< the provider's id of the request
inline constexpr Text finish_reason{"finish_reason"};  ///< the provider's word
inline constexpr Flag refusal{"refusal"};              ///< the model declined to answer
inline constexpr Any stop_sequence{"stop_sequence"};   ///< the text that ended the answer
inline constexpr Any usage{"usage"};                   ///< the provider's own object
inline constexpr Any tokens{"tokens"};                 ///< the same counts, as in llm::Usage
inline constexpr Integer reasoning_tokens{"reasoning_tokens"};  ///< of a reasoning
inline constexpr Any input_transformations{
    "input_transformations"};                            ///< the provider's changes to the request
inline constexpr Any cost_usd{"cost_usd"};               ///< US dollars, a number
inline constexpr Flag from_cache{"from_cache"};          ///< a cached reply: nothing was sent
inline constexpr Integer attempts{"attempts"};           ///< number of requests, from 2
inline constexpr Integer latency_ms{"latency_ms"};       ///< from the first request to the end
inline constexpr Text interrupted{"interrupted"};        ///< why the answer was cut off
inline constexpr Text failure{"failure"};                ///< why a request failed
inline constexpr Integer status{"status"};               ///< HTTP status
inline constexpr Text capture{"capture"};                ///< the capture mode of the commit
inline constexpr Text capture_fields{"capture_fields"};  ///< the same for each field that differs
inline constexpr Flag raw_altered{"raw_altered"};  ///< a key was removed from a provider's item
inline constexpr Text retrieved_from{"retrieved_from"};  ///< the source of a text in the prompt

// ---- Calls and results ----
inline constexpr Text action{"action"};          ///< the tool that an answer's text calls
inline constexpr Any calls{"calls"};             ///< names of the native calls, in their order
inline constexpr Any reasons{"reasons"};         ///< a call's number to its confidence, or true
inline constexpr Text mark{"mark"};              ///< goal, observation, nudge or critique
inline constexpr Text call_id{"call_id"};        ///< of the call that a user turn answers
inline constexpr Integer call{"call"};           ///< the number of a call in its answer, from 1
inline constexpr Text tool{"tool"};              ///< the tool's id
inline constexpr Text outcome{"outcome"};        ///< of a call: ok or error
inline constexpr Flag is_error{"is_error"};      ///< on a user turn: the call it answers failed
inline constexpr Flag is_json{"is_json"};        ///< the tool's result is JSON
inline constexpr Text refused_by{"refused_by"};  ///< why it was not made: tools, reasons, gate, …
inline constexpr Text rule{"rule"};              ///< the id of the rule or gate that refused it
inline constexpr Flag unverified{"unverified"};  ///< the process ended while it ran
inline constexpr Text artifact{"artifact"};      ///< command, test_run, file_edit or http_response
inline constexpr Integer exit_code{"exit_code"};        ///< of a command
inline constexpr Integer signal{"signal"};              ///< that ended a command
inline constexpr Flag timed_out{"timed_out"};           ///< a command reached its time limit
inline constexpr Flag was_stopped{"interrupted"};       ///< a person stopped the command
inline constexpr Integer duration_ms{"duration_ms"};    ///< of a call
inline constexpr Integer output_bytes{"output_bytes"};  ///< of a command, if some are left out
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
inline constexpr Text recorded_from{"recorded_from"};     ///< the commit whose result it repeats
inline constexpr Integer unknown_costs{"unknown_costs"};  ///< its requests of unknown cost

// ---- Runs and decisions (docs/agents.md) ----
inline constexpr Text run{"run"};                     ///< the run's id
inline constexpr Integer step{"step"};                ///< from 1
inline constexpr Text planner{"planner"};             ///< its name
inline constexpr Text principal{"principal"};         ///< the principal that the run acts for
inline constexpr Text purpose{"purpose"};             ///< of a request: agent, plan or critic
inline constexpr Text decision{"decision"};           ///< the decision's name
inline constexpr Text with{"with"};                   ///< `answer`: written with the answer
inline constexpr Text stopped{"stopped"};             ///< how a run ended
inline constexpr Text by{"by"};                       ///< what ended it; who judged it
inline constexpr Any limit{"limit"};                  ///< the threshold that ended it
inline constexpr Any spent{"spent"};                  ///< the amount spent at that point
inline constexpr Flag cut_off{"cut_off"};             ///< a call's result may be missing
inline constexpr Flag no_answer{"no_answer"};         ///< the run ended without an answer
inline constexpr Text forked_from{"origin"};          ///< the run that this one continues
inline constexpr Integer from_step{"from_step"};      ///< the step it was forked at
inline constexpr Text caller_run{"caller_run"};       ///< the run that called this one
inline constexpr Integer caller_call{"caller_call"};  ///< by which call
inline constexpr Text tree{"tree"};                   ///< the tree that an attempt belongs to
inline constexpr Integer attempt{"attempt"};          ///< its number there, from 1
inline constexpr Integer n{"n"};                      ///< of a new plan, from 1
inline constexpr Integer count{"count"};              ///< the number that a decision counts
inline constexpr Integer turns{"turns"};              ///< the number left out
inline constexpr Text from{"from"};                   ///< the previous strategy
inline constexpr Text to{"to"};                       ///< the new strategy

// ---- Notes ----
inline constexpr Text note{"note"};             ///< `evaluation`: results of checks
inline constexpr Any checks{"checks"};          ///< their results without texts
inline constexpr Flag is_override{"override"};  ///< a person's judgement replaces it
inline constexpr Text verdict{"status"};        ///< the result of that judgement
inline constexpr Text tombstone{"tombstone"};   ///< on a note: the list of erased objects

}  // namespace spoor::fact
