#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "llm/cost_tracker.h"
#include "llm/hooks.h"
#include "llm/models/refused_params.h"
#include "llm/open_requests.h"
#include "llm/price.h"
#include "llm/provider.h"
#include "llm/render/render.h"

namespace spoor::llm {

/// A model to call, with its tools and parameters. The provider must outlive the call.
struct Candidate {
  Provider* provider = nullptr;
  std::string model;   ///< the provider's name for it
  std::string tools;   ///< the `tools` member of this wire, canonical JSON; empty: none
  std::string params;  ///< more members of the body, a JSON object; empty: none
  /// The recipe of a recorded request: how it is rendered, its rule of reasoning, and its
  /// parameters in place of the model's own; nullopt: the newest, and the parameters of
  /// models/default_params.h without what the server refused before.
  std::optional<render::Recipe> recorded = {};
};

/// Turns and facts that are written in the transaction of a reply.
struct ReplyAdditions {
  /// Runs first in the transaction; an error discards the reply. May be empty.
  std::function<Result<void>(graph::Draft&, const std::string& ref)> before;
  compile::Facts facts;              ///< added to the facts of the reasoning and of the answer
  std::string rationale;             ///< of the answer: a canonical JSON object; empty: none
  std::vector<compile::Turn> after;  ///< turns after the answer; author and time are optional
  std::string skip;                  ///< why later prompts skip the answer; empty: they include it
  std::vector<std::string> refs;     ///< full names; moved to the last commit of the transaction
};

/// Called once for a reply that is about to be written, with the prompt that was sent. It cannot
/// reject the reply, which was paid for.
using AddToReply = std::function<ReplyAdditions(const Reply& reply, const compile::Prompt& prompt)>;

struct GenerateOptions {
  compile::CompileOptions compile;
  bool reasoning = true;  ///< false: reasoning is returned in the reply, but not committed
  /// The most complete capture level for the user's text and the answer. Code::denied if the
  /// repository cannot capture less than it does.
  compile::Capture capture = compile::Capture::full;
  bool stream = true;  ///< requests a stream; adds the wire's own member to the body
  std::stop_token stop;
  std::optional<std::chrono::milliseconds> most_wait = {};  ///< Request::most_wait
  OnEvent on_event;
  const Hooks* hooks = nullptr;  ///< null: none. Must outlive the call, as `prices` and `tracker`
  const PriceList* prices = nullptr;  ///< null: costs are unknown
  CostTracker* tracker = nullptr;     ///< books each call that got at least a part of an answer
  LearnedParams* learned = nullptr;   ///< what servers refused; null: learnt anew in each call
  /// Tried in order when the previous call failed without any answer. Reported as
  /// ReplyEvent::Kind::waiting.
  std::vector<Candidate> fallbacks;
  AddToReply add_to_reply;  ///< empty: nothing is added to the reply's transaction
  /// Facts for the records of open and of failed requests: `run`, `step`, ….
  compile::Facts request_facts;
  /// Called with the failure of the last candidate if no part of a reply arrived. generate() then
  /// returns that failure as its error; all other errors are not the provider's. May be empty.
  std::function<void(const Failure&)> on_failure;
  /// Records a call that returned nothing, before the next call. `failed` is its decision, to be
  /// written in a draft that calls PutPrompt. Returns the decision's name; an error ends
  /// generate(). If empty, the call is recorded on kFailedRequests, if it was sent at all.
  std::function<Result<compile::Oid>(compile::Turn failed, const PutPrompt&)> on_failed_call;
};

/// The result of generate().
struct Generated {
  Reply reply;  ///< text, reasoning, format, usage, calls, raw; its failure if it was cut off
  std::optional<compile::Oid> reasoning_commit;
  compile::Oid commit;  ///< the answer
  compile::Oid last;    ///< the last commit written: the answer or a turn after it
  compile::Oid prompt;  ///< the bundle of the request, see sent_prompt.h
  std::map<std::string, std::string> config;  ///< the settings in force: key to JSON
  std::vector<render::Treatment> treatments;  ///< the changes made to render the request
  std::size_t candidate = 0;  ///< the index of the candidate that answered; 0: the first
  std::optional<Cost> cost;   ///< nullopt: unknown
};

/// Compiles the tip of a branch, calls the model and commits its reply. Only this function turns
/// replies into commits. Reasoning and answer are one transaction. A reply that was cut off is
/// committed as far as it arrived, marked `interrupted`; the result contains its failure.
///
/// A request that the server refuses for a parameter is sent again without it (correction_for), and
/// the refused one is recorded as a failed call.
///
/// The request is recorded durably before it is sent (open_requests.h): one more commit for each
/// sending. The transaction of the answer, or of the failed call, ends that record. A reply that
/// cannot be read or written is stored as it was received, and the error names the commit.
///
/// Errors: those of compiling; those of the call (to_error) if no part of a reply arrived, in which
/// case nothing is committed to the branch; those of writing. `branch` must have a tip
/// (Code::invalid).
Result<Generated> generate(graph::Branch& branch, const Candidate& candidate,
                           const GenerateOptions& options);

/// Commits `text` as a user turn, then calls generate(). A failed call does not lose the text.
Result<Generated> chat(graph::Branch& branch, std::string_view text, const Candidate& candidate,
                       const GenerateOptions& options);

/// Renders the body that generate() would send now, without sending it.
Result<render::Rendered> render_request(const graph::Repository& repository,
                                        const std::optional<compile::Oid>& commit,
                                        const Candidate& candidate, const GenerateOptions& options);

}  // namespace spoor::llm
