#include "llm/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "compile/turn.h"
#include "llm/commit_reply.h"
#include "llm/render_valid.h"
#include "llm/request_params.h"
#include "llm/sent_prompt.h"

namespace spoor::llm {
namespace {

using compile::Oid;

Result<render::Recipe> recipe_of(const Candidate& candidate, const GenerateOptions& options,
                                 const std::string& corrections = {}) {
  render::Recipe recipe = render::recipe_for(candidate.provider->profile(), candidate.model);
  if (candidate.recorded) {
    recipe.renderer = candidate.recorded->renderer;
    recipe.replay = candidate.recorded->replay;
    recipe.fits_names = candidate.recorded->fits_names;
    recipe.fits_order = candidate.recorded->fits_order;
  }
  recipe.options = options.compile;
  recipe.tools = candidate.tools;
  recipe.params = TRY(request_params(candidate, options, corrections));
  return recipe;
}

// The request of one call, and how it was made.
struct Sent {
  render::Recipe recipe;
  render::Rendered rendered;
  std::optional<std::string> hook;  // The hooks that changed the rendered body.
};

// One call of one candidate, with everything to be recorded.
struct Attempt {
  std::shared_ptr<Sent> sent;
  PutPrompt put;  // Records the request.
  std::shared_ptr<RequestRecord> record;
  Reply reply;
  std::optional<Cost> cost;

  std::optional<Cost> paid() const { return reply.from_cache ? std::nullopt : cost; }
  bool came_to_nothing() const { return reply.failure && reply.pieces.empty(); }
  bool took_nothing() const { return came_to_nothing() && reply.usage == Usage{}; }

  // Whether this program stopped it after it was sent and before anything was counted. The provider
  // may charge for it; a request that it refused is free.
  bool was_stopped() const {
    return took_nothing() && record->has_begun() &&
           reply.failure->kind == Failure::Kind::interrupted;
  }
};

// Returns the cost of a call and books it in the tracker.
std::optional<Cost> book(const Candidate& candidate, const Reply& reply,
                         const GenerateOptions& options) {
  const std::string& provider = candidate.provider->profile().name;
  std::optional<Cost> cost;
  if (options.prices != nullptr) {
    const std::string& model = reply.model.empty() ? candidate.model : reply.model;
    const Price* price = options.prices->find(provider, model);
    if (price == nullptr) price = options.prices->find(provider, candidate.model);
    if (price != nullptr) cost = cost_of(reply.usage, *price);
  }
  // The counts of a reply that was cut off are those of its beginning.
  if (cost && reply.failure) cost->is_lower_bound = true;
  if (options.tracker != nullptr) {
    Booking booking;
    booking.model = full_name(candidate);
    if (reply.from_cache) booking.by = Booking::By::before;
    options.tracker->add(reply.usage, cost, booking);
  }
  return cost;
}

// True if the prompt contains anything but system prompts.
bool asks_anything(const compile::Prompt& prompt) {
  return std::any_of(prompt.messages.begin(), prompt.messages.end(), [](const auto& message) {
    return !compile::is_instruction_role(message.role);
  });
}

// True if the reply has none of the members that every reply has.
bool is_no_reply(const Reply& reply) {
  return reply.pieces.empty() && !reply.failure && reply.id.empty() && reply.model.empty() &&
         reply.finish_reason.empty() && reply.usage == Usage{};
}

Result<void> tell(const GenerateOptions& options, const HookEvent& event) {
  if (options.hooks == nullptr) return {};
  return options.hooks->run(event);
}

// Sends a request, and records each sending before it. After an error, nothing more was sent.
Result<Reply> send(const Candidate& candidate, const std::string& body, RequestRecord& record,
                   const GenerateOptions& options) {
  std::optional<Error> refused;
  Request request{
      .model = candidate.model, .body = body, .stream = options.stream, .stop = options.stop};
  request.most_wait = options.most_wait;
  request.before_send = [&] {
    const auto begun = record.begin();
    if (!begun) refused = begun.error();
    return static_cast<bool>(begun);
  };
  Reply reply = candidate.provider->complete(request, options.on_event);
  if (refused) return *refused;
  return reply;
}

Result<Attempt> call(graph::Repository& repository, const Oid& tip, const Candidate& candidate,
                     const GenerateOptions& options, const std::string& corrections) {
  Attempt made;
  made.sent = std::make_shared<Sent>();
  Sent& sent = *made.sent;
  sent.recipe = TRY(recipe_of(candidate, options, corrections));
  TRY(tell(options,
           {.kind = HookEvent::Kind::compile, .model = candidate.model, .commits = {tip}}));
  sent.rendered = TRY(render_valid(repository, tip, sent.recipe));
  // Only a request that needed it says so: others are rebuilt the same way as before.
  using Treated = render::Treatment::Kind;
  const auto needed = [&](Treated kind) {
    const auto& all = sent.rendered.treatments;
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.kind == kind; });
  };
  sent.recipe.fits_names = needed(Treated::renamed);
  sent.recipe.fits_order = needed(Treated::reordered) || needed(Treated::unsaid);
  if (!asks_anything(sent.rendered.prompt)) {
    return invalid("nothing to answer yet", "add a turn with 'spoor user TEXT'");
  }
  std::string& body = sent.rendered.body;
  TRY(tell(options, {.kind = HookEvent::Kind::compile,
                     .is_before = false,
                     .model = candidate.model,
                     .body = &body,
                     .commits = {tip}}));
  if (options.hooks != nullptr) sent.hook = TRY(options.hooks->rewrite(body));
  TRY(tell(
      options,
      {.kind = HookEvent::Kind::call, .model = candidate.model, .body = &body, .commits = {}}));
  made.put = [sent = made.sent, tip, &repository,
              least = options.capture](graph::Draft& draft) -> Result<Oid> {
    TRY(draft.capture_at_least(least));
    return put_sent_prompt(draft, tip, sent->recipe, repository.counter().name(),
                           sent->rendered.body, sent->hook);
  };
  compile::Facts facts = options.request_facts;
  facts.set(fact::provider, candidate.provider->profile().name);
  facts.set(fact::model, candidate.model);
  made.record = std::make_shared<RequestRecord>(repository, std::move(facts), made.put);
  const Timestamp asked = repository.clock().now();
  made.reply = TRY(send(candidate, body, *made.record, options));
  const std::int64_t took = repository.clock().now().micros - asked.micros;
  made.reply.latency = std::chrono::milliseconds(std::max<std::int64_t>(0, took) / 1000);
  if (is_no_reply(made.reply)) {
    made.reply.failure = Failure{.kind = Failure::Kind::malformed,
                                 .message = "the provider's answer is none that is known"};
  }
  if (!made.took_nothing() || made.was_stopped()) {
    made.cost = book(candidate, made.reply, options);
  }
  return made;
}

// Returns the decision for a call that returned nothing that could be committed.
compile::Turn failed_turn(const Candidate& asked, const Attempt& attempt,
                          const GenerateOptions& options) {
  compile::Turn turn =
      failed_call_turn(asked.provider->profile().name, asked.model, attempt.reply, attempt.paid());
  if (attempt.was_stopped()) turn.facts.set(fact::failure, kLost);
  for (const auto& [key, value] : options.request_facts.values()) turn.facts.set_json(key, value);
  return turn;
}

// Appends `turn` to the chain kFailedRequests.
Result<Oid> record_apart(graph::Repository& repository, compile::Turn turn,
                         const Attempt& attempt) {
  turn = graph::stamped(std::move(turn), repository.author(), repository.clock().now());
  graph::Branch chain = graph::Branch::on_ref(repository, kFailedRequests);
  return chain.write("request", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
    turn.prompt = TRY(attempt.put(draft));
    TRY(attempt.record->settle(draft));
    draft.leave_out_erased();  // A model may repeat text that was erased here.
    return draft.append(ref, turn);
  });
}

std::string where_kept(const Oid& commit) {
  return fmt::format("the received data is stored: 'spoor show {}'", commit.hex(12));
}

// Stores a reply that was paid for, as received, on kFailedRequests if it cannot be written to its
// branch.
Error keep_apart(graph::Repository& repository, const Candidate& asked, const Attempt& attempt,
                 const GenerateOptions& options, Error why) {
  compile::Turn turn = failed_turn(asked, attempt, options);
  turn.facts.set(fact::failure, "not-written");
  turn.text = why.message;
  if (turn.attach.empty()) turn.attach.push_back({bytes_of(attempt.reply)});
  const auto kept = record_apart(repository, std::move(turn), attempt);
  why.message += kept ? fmt::format(" ({})", where_kept(*kept))
                      : " (the received data could not be stored: " + kept.error().message + ')';
  return why;
}

// Records a call that returned nothing.
Result<void> record_failure(graph::Repository& repository, const Candidate& asked, Attempt& attempt,
                            const GenerateOptions& options) {
  std::optional<Oid> made;
  if (options.on_failed_call) {
    const auto recorded = options.on_failed_call(failed_turn(asked, attempt, options),
                                                 [&](graph::Draft& draft) -> Result<Oid> {
                                                   TRY(attempt.record->settle(draft));
                                                   return attempt.put(draft);
                                                 });
    if (!recorded && !attempt.reply.received.empty()) {
      return keep_apart(repository, asked, attempt, options, recorded.error());
    }
    made = TRY(recorded);
  } else if (attempt.record->has_begun()) {
    made = TRY(record_apart(repository, failed_turn(asked, attempt, options), attempt));
  }
  if (made && !attempt.reply.received.empty()) {
    attempt.reply.failure->message += fmt::format(" ({})", where_kept(*made));
  }
  return {};
}

// Reports `anthropic/claude-sonnet-5: overloaded, going on with openai/gpt-5`.
void tell_of_next(const Candidate& failed, const Failure& failure, const Candidate& next,
                  const GenerateOptions& options) {
  if (!options.on_event) return;
  const std::string text = fmt::format("{}: {}, continuing with {}", full_name(failed),
                                       name_of(failure.kind), full_name(next));
  options.on_event({.kind = ReplyEvent::Kind::waiting, .text = text});
}

// Calls one candidate, again without what its server refuses, and records each call that returned
// nothing.
Result<Attempt> call_corrected(graph::Repository& repository, const Oid& tip,
                               const Candidate& candidate, const GenerateOptions& options) {
  constexpr std::size_t kMostCorrections = 5;
  std::string corrections;
  std::string lasting;                             // To be remembered if the server takes the rest.
  std::vector<std::string> tried = {corrections};  // A server may refuse both this and that.
  while (true) {
    Attempt attempt = TRY(call(repository, tip, candidate, options, corrections));
    if (!attempt.came_to_nothing()) {
      if (!lasting.empty()) options.learned->learn(full_name(candidate), lasting);
      return attempt;
    }
    TRY(record_failure(repository, candidate, attempt, options));
    const auto correction = correction_for(*attempt.reply.failure, attempt.sent->recipe.params);
    if (!correction || tried.size() > kMostCorrections || attempt.sent->hook) return attempt;
    corrections = TRY(joined_patches(corrections, correction->patch));
    if (std::find(tried.begin(), tried.end(), corrections) != tried.end()) return attempt;
    tried.push_back(corrections);
    const std::string name = full_name(candidate);
    if (correction->is_lasting && options.learned != nullptr) {
      lasting = TRY(joined_patches(lasting, correction->patch));
    }
    if (!options.on_event) continue;
    const std::string text = fmt::format("{} refuses a parameter: {}", name, correction->told);
    options.on_event({.kind = ReplyEvent::Kind::waiting, .text = text});
  }
}

// Another model may accept a request that this one rejected.
bool is_worth_another(const Failure& failure) { return failure.kind != Failure::Kind::interrupted; }

// A user's own server may give every reply the same id.
Result<bool> repeats_id(const graph::Repository& repository, const Oid& tip,
                        const std::string& id) {
  if (id.empty()) return false;
  const auto state = TRY(repository.folder().at(tip));
  const auto& entries = state->entries();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const compile::Entry& entry) { return entry.message_id == id; });
}

// Writes reasoning, answer and the turns that add_to_reply them in one transaction, which also ends
// the record of the request. Sets the names in `made`.
Result<void> write_answer(graph::Branch& branch, const Oid& tip, const Candidate& asked,
                          const Attempt& attempt, const GenerateOptions& options, Generated& made) {
  graph::Repository& repository = branch.repository();
  ReplyOrigin origin{.provider = asked.provider->profile().name,
                     .model = asked.model,
                     .prompt = {},
                     .commit_reasoning = options.reasoning && TRY(repository.commits_reasoning()),
                     .repeats_id = TRY(repeats_id(repository, tip, attempt.reply.id)),
                     .cost = attempt.paid(),
                     .facts = {},
                     .rationale = {}};
  ReplyAdditions additions;
  if (options.add_to_reply)
    additions = options.add_to_reply(attempt.reply, attempt.sent->rendered.prompt);
  origin.facts = std::move(additions.facts);
  origin.rationale = std::move(additions.rationale);
  CommittedReply committed;
  made.last =
      TRY(branch.write("generate", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        TRY(draft.capture_at_least(options.capture));
        if (additions.before) TRY(additions.before(draft, ref));
        origin.prompt = TRY(attempt.put(draft));
        const Timestamp now = repository.clock().now();
        committed = TRY(commit_reply(draft, ref, attempt.reply, origin, repository.author(), now));
        Oid newest = committed.answer;
        for (const compile::Turn& turn : additions.after) {
          newest = TRY(draft.append(ref, graph::stamped(turn, repository.author(), now)));
        }
        if (!additions.skip.empty()) {
          newest =
              TRY(draft.annotate(ref, committed.answer, store::Priority::skip, additions.skip, {}));
        }
        for (const std::string& other : additions.refs) TRY(draft.move(other, newest));
        TRY(attempt.record->settle(draft));
        return newest;
      }));
  made.reasoning_commit = committed.reasoning;
  made.commit = committed.answer;
  made.prompt = *origin.prompt;
  return {};
}

// Records the usage, but not the content, of a reply that a handler refused.
Error give_up(graph::Repository& repository, const Candidate& asked, Attempt& attempt,
              const GenerateOptions& options, const Error& why) {
  attempt.reply.received.clear();
  compile::Turn turn = failed_turn(asked, attempt, options);
  turn.facts.set(fact::failure, "refused");
  turn.text = why.message;
  const auto recorded = record_apart(repository, std::move(turn), attempt);
  return recorded ? why : recorded.error();
}

}  // namespace

Result<render::Rendered> render_request(const graph::Repository& repository,
                                        const std::optional<Oid>& commit,
                                        const Candidate& candidate,
                                        const GenerateOptions& options) {
  render::Recipe recipe = TRY(recipe_of(candidate, options));
  return render_valid(repository, commit, recipe);
}

Result<Generated> generate(graph::Branch& branch, const Candidate& first,
                           const GenerateOptions& options) {
  graph::Repository& repository = branch.repository();
  const auto tip = TRY(branch.tip());
  if (!tip) {
    return invalid("nothing to answer yet", "add a turn with 'spoor user TEXT'");
  }
  // Check everything that could reject the reply before paying for it.
  TRY(repository.check_writable());
  TRY(repository.scrubber().at_least(options.capture));
  Generated generated;
  const Candidate* asked = &first;
  Attempt attempt = TRY(call_corrected(repository, *tip, first, options));
  for (const Candidate& next : options.fallbacks) {
    const auto& failure = attempt.reply.failure;
    if (!attempt.came_to_nothing() || !is_worth_another(*failure)) break;
    tell_of_next(*asked, *failure, next, options);
    asked = &next;
    ++generated.candidate;
    attempt = TRY(call_corrected(repository, *tip, next, options));
  }
  if (attempt.came_to_nothing()) {
    if (options.on_failure) options.on_failure(*attempt.reply.failure);
    return to_error(*attempt.reply.failure);
  }

  // Too late to refuse: return the error after the reply is stored.
  const Result<void> told = tell(options, {.kind = HookEvent::Kind::reply,
                                           .is_before = false,
                                           .model = asked->model,
                                           .body = &attempt.sent->rendered.body,
                                           .reply = &attempt.reply,
                                           .commits = {}});
  const Result<void> may_write = tell(options, {.kind = HookEvent::Kind::commit,
                                                .model = asked->model,
                                                .reply = &attempt.reply,
                                                .commits = {}});
  if (!may_write) return give_up(repository, *asked, attempt, options, may_write.error());
  const auto written = write_answer(branch, *tip, *asked, attempt, options, generated);
  if (!written) return keep_apart(repository, *asked, attempt, options, written.error());

  generated.reply = std::move(attempt.reply);
  generated.config = std::move(attempt.sent->rendered.prompt.config);
  generated.cost = attempt.cost;
  generated.treatments = std::move(attempt.sent->rendered.treatments);
  HookEvent done{.kind = HookEvent::Kind::commit,
                 .is_before = false,
                 .model = asked->model,
                 .reply = &generated.reply,
                 .commits = {}};
  if (generated.reasoning_commit) done.commits.push_back(*generated.reasoning_commit);
  done.commits.push_back(generated.commit);
  TRY(tell(options, done));
  if (!told) return told.error();
  return generated;
}

Result<Generated> chat(graph::Branch& branch, std::string_view text, const Candidate& candidate,
                       const GenerateOptions& options) {
  graph::Repository& repository = branch.repository();
  compile::Turn said{.type = compile::Type::user, .text = std::string(text)};
  said = graph::stamped(std::move(said), repository.author(), repository.clock().now());
  TRY(branch.write("user", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
    TRY(draft.capture_at_least(options.capture));
    return draft.append(ref, said);
  }));
  return generate(branch, candidate, options);
}

}  // namespace spoor::llm
