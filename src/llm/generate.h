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
#include "llm/open_requests.h"
#include "llm/price.h"
#include "llm/provider.h"
#include "llm/render/render.h"

namespace spoor::llm {

/// A model to ask, and how. The provider must outlive the call.
struct Candidate {
  Provider* provider = nullptr;
  std::string model;   ///< as the provider calls it
  std::string tools;   ///< the `tools` member of this wire, canonical JSON; empty: none
  std::string params;  ///< further members of the body, a JSON object; empty: none
};

/// What stands beside a reply in the graph, written in its transaction.
struct Beside {
  /// First in the transaction; an error gives the reply up. May be empty.
  std::function<Result<void>(graph::Draft&, const std::string& ref)> before;
  compile::Facts facts;              ///< joined to those of the reasoning and of the answer
  std::string rationale;             ///< of the answer: a canonical JSON object; empty: none
  std::vector<compile::Turn> after;  ///< turns behind the answer; author and time may be left out
  std::string skip;                  ///< why the answer is not to be in later prompts; empty: it is
  std::vector<std::string> refs;     ///< full names; moved to the last commit of them all
};

/// Asked once for a reply that is about to be written, with what was sent. It cannot refuse: the
/// reply was paid for.
using Accompany = std::function<Beside(const Reply& reply, const compile::Prompt& prompt)>;

struct GenerateOptions {
  compile::CompileOptions compile;
  bool reasoning = true;  ///< false: reasoning is in the reply, and not committed
  /// What is said and answered is kept no more fully than this. Code::denied where the repository
  /// has nothing that keeps less than it does.
  compile::Capture capture = compile::Capture::full;
  bool stream = true;  ///< asks for a stream; the wire's own member is added to the body
  std::stop_token stop;
  OnEvent on_event;
  const Hooks* hooks = nullptr;       ///< must outlive the call, as the next two; null: none
  const PriceList* prices = nullptr;  ///< null: no cost is known
  CostTracker* tracker = nullptr;     ///< books each call that was answered, or began to be
  /// Asked in order when the one before failed with nothing; told as ReplyEvent::Kind::waiting.
  std::vector<Candidate> fallbacks;
  Accompany accompany;  ///< empty: nothing stands beside
  /// Of the record of a request that is on its way, and of one that failed: `run`, `step`, ….
  compile::Facts request_facts;
  /// Told why nothing of a reply came, from the last one asked: generate() answers with it as an
  /// error then, and any other error is no provider's. May be empty.
  std::function<void(const Failure&)> on_failure;
  /// Records a call of which nothing came, before the next is made: `failed` is the decision for
  /// it, to be written in a draft that calls PutPrompt. Gives its name; an error ends it all.
  /// Empty: it is recorded on kFailedRequests, if it was sent at all.
  std::function<Result<compile::Oid>(compile::Turn failed, const PutPrompt&)> on_failed_call;
};

/// What a call came to.
struct Generated {
  Reply reply;  ///< text, reasoning, format, usage, calls, raw; its failure where it was cut off
  std::optional<compile::Oid> reasoning_commit;
  compile::Oid commit;                        ///< the answer
  compile::Oid last;                          ///< of what was written: the answer, or behind it
  compile::Oid prompt;                        ///< the bundle: what was sent, see sent_prompt.h
  std::map<std::string, std::string> config;  ///< settings in force: key to JSON
  std::vector<render::Treatment> treatments;  ///< what rendering the request took
  std::size_t candidate = 0;                  ///< which one answered; 0: the first
  std::optional<Cost> cost;                   ///< nothing: not known
};

/// Compiles the tip of a branch, asks the model, and commits what it answered: the one place that
/// turns replies into commits. Reasoning and answer are one transaction. A reply that was cut off
/// is committed as far as it came, marked `interrupted`, and its failure stands in the result.
///
/// Nothing is sent before the store says so durably (open_requests.h): one commit more for each
/// sending. What ends that record is the transaction of the answer, or of the failed call. A reply
/// that cannot be read or written is kept as it was received, and the error names the commit.
///
/// Errors: those of compiling; of the call (to_error) when nothing of a reply arrived, and nothing
/// is committed to the branch then; of writing. `branch` must have a tip (Code::invalid).
Result<Generated> generate(graph::Branch& branch, const Candidate& candidate,
                           const GenerateOptions& options);

/// Commits `text` as a turn of the user first, so that no failure of the call loses it.
Result<Generated> chat(graph::Branch& branch, std::string_view text, const Candidate& candidate,
                       const GenerateOptions& options);

/// The body that `generate` would send now, and what it took.
Result<render::Rendered> render_request(const graph::Repository& repository,
                                        const std::optional<compile::Oid>& commit,
                                        const Candidate& candidate, const GenerateOptions& options);

}  // namespace spoor::llm
