#include "llm/sent_prompt.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/find_text.h"
#include "compile/commitment.h"
#include "compile/facts_view.h"
#include "compile/known_keys.h"
#include "store/ancestry.h"
#include "store/sha256.h"

namespace spoor::llm {
namespace {

using compile::Oid;
using compile::Slot;
using Verdict = SentPrompt::Verdict;
using Withheld = SentPrompt::Withheld;

Result<std::optional<Oid>> put_text(graph::Draft& draft, Slot slot, const std::string& text) {
  if (text.empty()) return std::optional<Oid>();
  return std::optional(TRY(draft.put_content(slot, text)));
}

Result<std::string> text_at(const store::Reader& reader, const std::optional<Oid>& oid) {
  if (!oid) return std::string();
  return *TRY(reader.content(*oid));
}

// Code::not_found if `content` was erased.
Result<void> check_not_erased(const store::Reader& reader, const std::optional<Oid>& content,
                              SentPrompt& sent) {
  const auto reason = content ? TRY(reader.erased().reason_of(*content)) : std::nullopt;
  if (!reason || TRY(reader.store().has(std::array{*content}))[0]) return {};
  sent.withheld = Withheld::erased;
  return not_found(
      fmt::format("a part of it was erased{}", reason->empty() ? std::string() : ": " + *reason));
}

// Checks all contents of a rebuilt request.
Result<void> check_whole(const store::Reader& reader, const store::Bundle& bundle,
                         const compile::Prompt& prompt, SentPrompt& sent) {
  if (!TRY(reader.erased().has_any())) return {};
  for (const auto& part : {bundle.options, bundle.tools, bundle.params}) {
    TRY(check_not_erased(reader, part, sent));
  }
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Part& part : message.parts) {
      TRY(check_not_erased(reader, part.content, sent));
      TRY(check_not_erased(reader, TRY(reader.commit(part.commit))->fields, sent));
    }
    for (const compile::Thought& thought : message.thoughts) {
      TRY(check_not_erased(reader, thought.part.content, sent));
    }
  }
  return {};
}

Error only_hashed() { return denied("only a hash was kept of a part of it"); }

// True if only a hash was kept of something that a renderer then leaves out: a thought with its
// items, or an attachment. Texts and calls are not checked.
Result<bool> has_hashed_parts(const store::Reader& reader, const compile::Prompt& prompt) {
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Thought& thought : message.thoughts) {
      if (compile::is_commitment(*thought.part.text)) return true;
    }
    for (const compile::Part& part : message.parts) {
      if (!part.attach) continue;
      for (const store::Content& attached : *part.attach) {
        if (compile::is_commitment(*TRY(reader.content(attached.oid)))) return true;
      }
    }
  }
  return false;
}

// True if a key was removed from the stored parts of a request. The prompt's texts do not count:
// they were read from the store before they were sent.
Result<bool> has_altered_parts(const store::Reader& reader, const store::Bundle& bundle) {
  std::string all = bundle.model;
  for (const auto& part : {bundle.options, bundle.tools, bundle.params, bundle.stored}) {
    all += TRY(text_at(reader, part)) + '\n';
  }
  return holds_text(all, compile::kKeyMark);
}

Result<void> rebuild(const graph::Repository& repository, SentPrompt& sent) {
  if (sent.bundle.stored) {
    TRY(check_not_erased(repository.reader(), sent.bundle.stored, sent));
    if (TRY(repository.reader().erased().has_any())) {
      for (const auto& piece : TRY(repository.reader().leaves(*sent.bundle.stored))) {
        TRY(check_not_erased(repository.reader(), piece.oid, sent));
      }
    }
    sent.body = *TRY(repository.reader().content(*sent.bundle.stored));
    if (compile::is_commitment(sent.body)) return only_hashed();
    sent.was_stored = true;
    return {};
  }
  TRY(check_whole(repository.reader(), sent.bundle, {}, sent));
  const render::Recipe recipe = TRY(recipe_of(repository, sent.bundle));
  render::Rendered rendered = TRY(render::render(repository, sent.bundle.commit, recipe));
  TRY(check_whole(repository.reader(), {}, rendered.prompt, sent));
  sent.body = std::move(rendered.body);
  sent.prompt = std::move(rendered.prompt);
  sent.treatments = std::move(rendered.treatments);
  sent.thinking = std::move(rendered.thinking);
  return {};
}

bool is_named(const std::vector<Oid>& oids, const Oid& oid) {
  return std::find(oids.begin(), oids.end(), oid) != oids.end();
}

// Visits the notes of captured requests, the newest of each conversation first.
Result<void> each_capture(const graph::Repository& repository, const store::Ref& conversation,
                          const std::function<Result<void>(const store::NamedCommit&)>& visit) {
  Result<void> problem;
  const auto look = [&](const store::NamedCommit& named) {
    if (named.commit->prompt) problem = visit(named);
    return problem.has_value();
  };
  TRY(repository.reader().run(conversation.target, std::numeric_limits<std::size_t>::max(), look,
                              store::Reader::Keep::nothing));
  return problem;
}

// Whether one of the branches has the commit.
Result<bool> is_on_any(const store::Reader& reader, const Oid& commit,
                       const std::vector<store::Ref>& branches) {
  for (const store::Ref& branch : branches) {
    if (TRY(store::is_on_line(reader, commit, branch.target))) return true;
  }
  return false;
}

// A conversation, from its root to one of its commits.
struct Line {
  std::map<Oid, std::uint64_t> depths;
  std::vector<store::Ref> captures;  // The refs that may have its captured requests.
};

Result<Line> read_line(const graph::Repository& repository, const Oid& tip) {
  Line line;
  Oid root = tip;
  std::set<std::pair<std::string, std::string>> sessions;  // Each source and its name.
  std::string last;
  compile::FactsView facts;
  Result<void> problem;
  const auto look = [&](const store::NamedCommit& named) {
    root = named.oid;
    line.depths.emplace(named.oid, named.commit->depth);
    if (named.commit->meta.empty()) return true;
    problem = facts.read(named.commit->meta);
    const std::string source = facts.get(fact::source);
    if (!source.empty()) sessions.emplace(source, facts.get(fact::session));
    return problem.has_value();
  };
  TRY(repository.reader().run(tip, std::numeric_limits<std::size_t>::max(), look,
                              store::Reader::Keep::nothing));
  TRY(problem);
  if (sessions.empty()) line.captures = TRY(repository.store().refs(kCaptures));
  std::set<std::string> found;
  for (const auto& [source, session] : sessions) {
    const std::string name = captures_of(source, session.empty() ? root.hex() : session);
    if (const auto target = TRY(repository.store().ref(name))) {
      if (found.insert(name).second) line.captures.push_back({name, *target});
      continue;
    }
    for (const store::Ref& ref :
         TRY(repository.store().refs(fmt::format("{}{}/", kCaptures, source)))) {
      if (found.insert(ref.name).second) line.captures.push_back(ref);
    }
  }
  return line;
}

// Visits the captured requests that may be of a line, each with the commits that it is about: those
// of its answer, the last first.
Result<void> each_request(
    const graph::Repository& repository, const Line& line,
    const std::function<Result<void>(CapturedRequest, const std::vector<Oid>& about)>& visit) {
  for (const store::Ref& ref : line.captures) {
    TRY(each_capture(repository, ref, [&](const store::NamedCommit& named) -> Result<void> {
      const auto& about = named.commit->about;
      if (about.empty()) return {};
      const store::Bundle bundle = TRY(repository.reader().bundle(*named.commit->prompt));
      const bool is_aside = is_named(about, bundle.commit);
      return visit({.note = named.oid,
                    .asked = bundle.commit,
                    .answer = is_aside ? std::nullopt : std::optional(about.front()),
                    .time = named.commit->time,
                    .model = bundle.model,
                    .bytes = bundle.bytes,
                    .is_exact = bundle.renderer == kCaptured},
                   about);
    }));
  }
  return {};
}

// Returns the bundle of the captured request that led to `answer`, by a walk over all of them, its
// session's first. Where several exchanges have this answer, such as retries, the first counts;
// copies are last. A note about a commit that its request ended with is not about an answer to it.
Result<std::optional<Oid>> captured_for(const graph::Repository& repository, const Oid& answer) {
  std::vector<store::Ref> refs = TRY(repository.store().refs(kCaptures));
  const compile::Turn turn = TRY(graph::read_turn(repository.reader(), answer));
  const std::string likely =
      captures_of(turn.facts.get(fact::source), turn.facts.get(fact::session));
  std::stable_partition(refs.begin(), refs.end(),
                        [&](const store::Ref& ref) { return ref.name == likely; });
  std::optional<Oid> bundle;
  std::optional<Oid> copy;
  for (const store::Ref& ref : refs) {
    TRY(each_capture(repository, ref, [&](const store::NamedCommit& named) -> Result<void> {
      const auto& about = named.commit->about;
      if (!is_named(about, answer)) return {};
      const store::Bundle asked = TRY(repository.reader().bundle(*named.commit->prompt));
      if (is_named(about, asked.commit)) return {};
      (asked.renderer == kCapturedCopy ? copy : bundle) = named.commit->prompt;
      return {};
    }));
    if (bundle) break;
  }
  return bundle ? bundle : copy;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::verified:
      return "verified";
    case Verdict::copied:
      return "copied";
    case Verdict::differs:
      return "differs";
    case Verdict::cannot_rebuild:
      return "cannot_rebuild";
  }
  return {};
}

Result<render::Recipe> recipe_of(const graph::Repository& repository, const store::Bundle& bundle) {
  const store::Reader& reader = repository.reader();
  render::Recipe recipe{.renderer = bundle.renderer,
                        .provider = {},
                        .model = bundle.model,
                        .options = {.version = 1},
                        .replay = {},
                        .tools = {},
                        .params = {}};
  recipe.tools = TRY(text_at(reader, bundle.tools));
  recipe.params = TRY(text_at(reader, bundle.params));
  const std::string options = TRY(text_at(reader, bundle.options));
  if (!options.empty()) {
    TRY(render::read_options(options, repository.counter().name(), recipe));
  }
  return recipe;
}

Result<Oid> put_sent_prompt(graph::Draft& draft, const Oid& commit, const render::Recipe& recipe,
                            std::string_view counter, std::string_view body,
                            const std::optional<std::string>& hook) {
  store::Bundle bundle;
  bundle.commit = commit;
  bundle.renderer = recipe.renderer;
  bundle.model = recipe.model;
  bundle.options = TRY(put_text(draft, Slot::options, render::write_options(recipe, counter)));
  bundle.tools = TRY(put_text(draft, Slot::request, recipe.tools));
  bundle.params = TRY(put_text(draft, Slot::request, recipe.params));
  if (hook) bundle.hook = TRY(draft.put_content(Slot::text, *hook));
  return draft.put_bundle(std::move(bundle), body, hook.has_value());
}

Result<std::optional<Oid>> request_bundle_of(const graph::Repository& repository,
                                             const Oid& answer) {
  const auto own = TRY(repository.reader().commit(answer))->prompt;
  return own ? Result<std::optional<Oid>>(own) : captured_for(repository, answer);
}

Result<SentPrompt> sent_prompt(const graph::Repository& repository, const Oid& oid) {
  const auto commit = TRY(repository.reader().commit(oid));
  if (commit->type == store::Type::note && commit->prompt) {
    return sent_bundle(repository, *commit->prompt);
  }
  if (commit->op != store::Op::append || commit->type != store::Type::assistant) {
    return invalid(fmt::format("{} is not an answer of a model", oid.hex(12)),
                   "name an assistant turn: 'spoor log --type assistant' lists them");
  }
  const auto bundle = TRY(request_bundle_of(repository, oid));
  if (!bundle) {
    return not_found(fmt::format("no request is recorded for {}", oid.hex(12)),
                     "spoor records its own requests and those of 'spoor with AGENT'; 'spoor "
                     "compile' shows a prompt");
  }
  return sent_bundle(repository, *bundle);
}

std::string captures_of(std::string_view agent, std::string_view session) {
  return fmt::format("{}{}/{}", kCaptures, agent, store::sha256(session).hex(16));
}

Result<std::vector<CapturedRequest>> captured_requests(const graph::Repository& repository,
                                                       const Oid& tip) {
  std::vector<CapturedRequest> all;
  if (TRY(repository.store().refs(kCaptures)).empty()) return all;
  const Line line = TRY(read_line(repository, tip));
  const auto branches = TRY(repository.store().refs("refs/heads/"));
  TRY(each_request(repository, line,
                   [&](CapturedRequest request, const std::vector<Oid>& about) -> Result<void> {
                     if (!line.depths.contains(about.front())) {
                       // An answer that broke off gives way to the whole one of the next attempt.
                       const bool is_replaced =
                           line.depths.contains(request.asked) &&
                           !TRY(is_on_any(repository.reader(), about.front(), branches));
                       if (!is_replaced) return {};
                       request.answer = std::nullopt;
                     }
                     all.push_back(std::move(request));
                     return {};
                   }));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.time < other.time; });
  // A copy gives way to the request as it was sent, and to an earlier copy.
  std::set<Oid> answered;
  for (const CapturedRequest& each : all) {
    if (each.answer && each.is_exact) answered.insert(*each.answer);
  }
  std::erase_if(all, [&](const CapturedRequest& each) {
    return each.answer && !each.is_exact && !answered.insert(*each.answer).second;
  });
  return all;
}

Result<std::vector<store::Ref>> capture_refs(const graph::Repository& repository, const Oid& tip) {
  std::vector<store::Ref> refs;
  if (TRY(repository.store().refs(kCaptures)).empty()) return refs;
  Line line = TRY(read_line(repository, tip));
  for (store::Ref& ref : line.captures) {
    bool is_of_line = false;
    TRY(each_capture(repository, ref, [&](const store::NamedCommit& named) -> Result<void> {
      const auto& about = named.commit->about;
      is_of_line |=
          std::ranges::any_of(about, [&](const Oid& each) { return line.depths.contains(each); });
      return {};
    }));
    if (is_of_line) refs.push_back(std::move(ref));
  }
  return refs;
}

Result<std::optional<CapturedRequest>> last_captured_request(const graph::Repository& repository,
                                                             const Oid& tip) {
  std::optional<CapturedRequest> last;
  if (TRY(repository.store().refs(kCaptures)).empty()) return last;
  const Line line = TRY(read_line(repository, tip));
  std::uint64_t depth = 0;
  TRY(each_request(repository, line,
                   [&](CapturedRequest request, const std::vector<Oid>& about) -> Result<void> {
                     const auto asked = line.depths.find(request.asked);
                     if (!request.answer || asked == line.depths.end()) return {};
                     // The commit may be a part of the answer.
                     const bool is_answered =
                         std::any_of(about.begin(), about.end(),
                                     [&](const Oid& each) { return line.depths.contains(each); });
                     if (request.asked != tip && !is_answered) return {};
                     // If several are at one place, such as retries, an exact one is taken, and the
                     // first.
                     const auto rank = [](const CapturedRequest& each) {
                       return std::pair(!each.is_exact, each.time);
                     };
                     const bool is_first =
                         asked->second == depth && last && rank(request) < rank(*last);
                     if (last && asked->second <= depth && !is_first) return {};
                     depth = asked->second;
                     last = std::move(request);
                     return {};
                   }));
  return last;
}

Result<SentPrompt> sent_bundle(const graph::Repository& repository, const Oid& bundle) {
  SentPrompt sent;
  sent.bundle_name = bundle;
  sent.bundle = TRY(repository.reader().bundle(bundle));
  const auto rebuilt = rebuild(repository, sent);
  if (!rebuilt) {
    // Missing content is a result; a corrupt store or a failing disk is an error.
    const auto code = rebuilt.error().code;
    const bool is_absence = code == Error::Code::not_found || code == Error::Code::unavailable ||
                            code == Error::Code::denied;
    if (!is_absence) return rebuilt.error();
    sent.why = rebuilt.error().message;
    if (code == Error::Code::denied) sent.withheld = Withheld::hashed;
    return sent;
  }
  // The digest may be from another mode than the current one of this process.
  const bool is_keyed = sent.bundle.digest == store::Bundle::Digest::hmac;
  std::optional<Oid> keyed;
  if (is_keyed) keyed = TRY(repository.scrubber().keyed_digest_of(sent.body));
  if (is_keyed && !repository.is_private() && !keyed) {
    sent.why = "its digest is keyed, and the key is missing";
    sent.withheld = Withheld::hashed;
    sent.body.clear();
    return sent;
  }
  const bool is_equal =
      (repository.digest_of(sent.body) == sent.bundle.sent || keyed == sent.bundle.sent) &&
      sent.body.size() == sent.bundle.bytes;
  if (!is_equal && TRY(has_hashed_parts(repository.reader(), sent.prompt))) {
    sent.why = only_hashed().message;
    sent.withheld = Withheld::hashed;
    sent.body.clear();
    return sent;
  }
  const bool is_altered = sent.bundle.renderer == kCapturedAltered ||
                          (!is_equal && TRY(has_altered_parts(repository.reader(), sent.bundle)));
  if (is_altered) {
    sent.why = "it held a known key, which was not stored";
    sent.withheld = Withheld::altered;
    sent.body.clear();
    return sent;
  }
  const bool is_copy = sent.bundle.renderer == kCapturedCopy;
  sent.verdict = !is_equal ? Verdict::differs : is_copy ? Verdict::copied : Verdict::verified;
  if (is_copy) sent.why = "the agent wrote it down itself";
  if (!is_equal) sent.why = "the rebuilt request has another digest than the sent one";
  return sent;
}

}  // namespace spoor::llm
