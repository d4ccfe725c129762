#include "graph/repository.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "graph/refs.h"
#include "graph/revision.h"
#include "store/ancestry.h"
#include "store/memory_store.h"
#include "store/sqlite/sqlite_store.h"

namespace spoor::graph {

using compile::ByteCounter;
using compile::extra_of;
using compile::fields_of;
using compile::may_be_of_part;
using compile::NoScrubber;
using compile::read_facts;
using compile::select;
using compile::select_part;
using compile::State;
using compile::text_of;
using store::Type;

namespace {

constexpr std::string_view kCommitReasoningKey = "commit_reasoning";

Repository::Options with_defaults(Repository::Options options) {
  if (options.author.empty()) options.author = "user";
  if (!options.clock) options.clock = std::make_shared<SystemClock>();
  if (!options.scrubber) options.scrubber = std::make_shared<NoScrubber>();
  if (!options.counter) options.counter = std::make_shared<ByteCounter>();
  return options;
}

store::SqliteStore::Options file_options(const Repository::Options& options) {
  using store::SqliteStore;
  return {.mode = options.read_only ? SqliteStore::Mode::read_only : SqliteStore::Mode::read_write,
          .durability =
              options.durable ? SqliteStore::Durability::full : SqliteStore::Durability::normal};
}

// Makes `draft` write a new branch for each one that another writer moved first. Returns those
// branches and their forks.
Result<std::map<std::string, std::string>> fork_lost(const store::Store& store,
                                                     const std::vector<store::RefMove>& moves,
                                                     Draft& draft) {
  const auto is_free = [&](const std::string& name) -> Result<bool> {
    const bool is_ours = std::any_of(moves.begin(), moves.end(),
                                     [&](const store::RefMove& m) { return m.name == name; });
    return !is_ours && !TRY(store.ref(name));
  };
  std::map<std::string, std::string> forks;
  for (const store::RefMove& move : moves) {
    if (TRY(store.ref(move.name)) == move.before) continue;
    if (!move.name.starts_with("refs/heads/")) {
      return conflict(fmt::format("another writer moved '{}', which cannot fork", move.name),
                      "read it again, then retry");
    }
    int number = 2;
    while (!TRY(is_free(fmt::format("{}-{}", move.name, number)))) ++number;
    const std::string as = fmt::format("{}-{}", move.name, number);
    TRY(draft.fork(move.name, as, move.before));
    forks.emplace(move.name, as);
  }
  return forks;
}

}  // namespace

Repository::Repository(std::unique_ptr<store::Store> store, Options options)
    : store_(std::move(store)),
      options_(with_defaults(std::move(options))),
      salter_(options_.blob_key.empty() ? store::Salter() : store::Salter(options_.blob_key)),
      reader_(std::make_unique<store::Reader>(*store_, options_.cache_bytes, options_.is_cancelled,
                                              options_.limits)),
      kept_cache_(std::make_unique<store::KeptCache>(*store_, options_.cache_key)),
      line_index_(std::make_unique<compile::LineIndex>(*reader_, *kept_cache_)),
      folder_(std::make_unique<Folder>(*reader_, line_index_.get())),
      conditions_(*store_, options_.blob_key) {}

Result<std::unique_ptr<Repository>> Repository::over(std::unique_ptr<store::Store> store,
                                                     Options options) {
  return std::unique_ptr<Repository>(new Repository(std::move(store), std::move(options)));
}

Result<std::unique_ptr<Repository>> Repository::open(const std::string& path) {
  return open(path, Options{});
}

Result<std::unique_ptr<Repository>> Repository::open(const std::string& path, Options options) {
  return over(TRY(store::SqliteStore::open(path, file_options(options))), std::move(options));
}

Result<std::unique_ptr<Repository>> Repository::create(const std::string& path) {
  return create(path, Options{});
}

Result<std::unique_ptr<Repository>> Repository::create(const std::string& path, Options options) {
  return over(TRY(store::SqliteStore::create(path, file_options(options))), std::move(options));
}

std::unique_ptr<Repository> Repository::in_memory() { return in_memory(Options{}); }

std::unique_ptr<Repository> Repository::in_memory(Options options) {
  return over(std::make_unique<store::MemoryStore>(), std::move(options)).value();
}

std::unique_ptr<Repository> Repository::empty_sibling() const {
  auto memory = std::make_unique<store::MemoryStore>();
  if (is_private()) memory->set_property(kPrivate, "1").value();
  return sibling(std::move(memory)).value();
}

Result<std::unique_ptr<Repository>> Repository::sibling(std::unique_ptr<store::Store> store) const {
  return over(std::move(store), options_);
}

Branch Repository::branch(std::string name) { return {*this, std::move(name)}; }

Result<Oid> Repository::resolve(std::string_view revision, const std::optional<Oid>& head,
                                const std::string& head_ref, bool is_session) const {
  store::RevisionContext context{
      .head = head, .head_ref = head_ref, .now = clock().now(), .is_session = is_session};
  return store::resolve(*reader_, revision, with_insides(*reader_, std::move(context)));
}

// Tries growing parts of the history, if the options let a part do. If a part has an error, the
// whole decides whether there is one.
Result<Prompt> Repository::prompt_at(const Oid& commit, const CompileOptions& options,
                                     const Scrubber* originals) const {
  constexpr std::uint64_t kFirst = 256;  // Commits.
  constexpr std::uint64_t kMost = 16'384;
  const auto of_part = [&](std::uint64_t newest) -> Result<std::optional<Prompt>> {
    const auto state = TRY(folder_->part_at(commit, {.newest = newest}));
    return select_part(*reader_, *state, options, *options_.counter, originals);
  };
  std::optional<Prompt> prompt;
  for (std::uint64_t n = kFirst; !prompt && n <= kMost && may_be_of_part(options); n *= 8) {
    auto tried = of_part(n);
    if (!tried && tried.error().code == Error::Code::interrupted) return tried.error();
    if (!tried) break;
    prompt = std::move(*tried);
  }
  if (!prompt) {
    const auto state = TRY(folder_->at(commit, options_.cache_bytes / 4));
    prompt = TRY(select(*reader_, *state, options, *options_.counter, originals));
  }
  prompt->commit = commit;
  return std::move(*prompt);
}

Result<Prompt> Repository::compile(const Oid& commit, const CompileOptions& options) const {
  return prompt_at(commit, options, nullptr);
}

Result<Prompt> Repository::compile(const std::optional<Oid>& commit,
                                   const CompileOptions& options) const {
  if (commit) return compile(*commit, options);
  return select(*reader_, State{}, options, *options_.counter);
}

Result<Prompt> Repository::compile_to_send(const std::optional<Oid>& commit,
                                           const CompileOptions& options) const {
  if (!commit) return compile(commit, options);
  return prompt_at(*commit, options, options_.scrubber.get());
}

std::unique_ptr<Draft> Repository::draft() { return draft(false); }

std::unique_ptr<Draft> Repository::draft(bool may_assume) {
  const DraftPorts ports{*store_,         *reader_,   *folder_, salter_, *options_.scrubber,
                         *options_.clock, conditions_};
  return std::make_unique<Draft>(ports, options_.author, may_assume);
}

Result<std::optional<std::uint64_t>> Repository::token_limit() const {
  return TRY(conditions_.refresh()).token_limit;
}

Result<void> Repository::check_prompts(const Draft& draft,
                                       std::optional<std::uint64_t> limit) const {
  if (!limit) return {};
  for (const store::RefMove& move : draft.moves()) {
    if (!move.after || !move.name.starts_with("refs/heads/")) continue;
    const std::uint64_t tokens = TRY(compile(*move.after)).tokens;
    if (tokens <= *limit) continue;
    // A smaller prompt is accepted even if it is still too large.
    if (move.before && tokens <= TRY(compile(*move.before)).tokens) continue;
    return denied(
        fmt::format("the prompt would be {} tokens, over this store's limit of {}", tokens, *limit),
        "skip or compress earlier turns first");
  }
  return {};
}

// Returns whether a draft may be written that was made under these conditions; false: the store has
// another limit by now, so it is to be made anew.
Result<bool> Repository::is_within(const Draft& draft, const WriteConditions& made_under) const {
  const auto checked = check_prompts(draft, made_under.token_limit);
  if (checked) return true;
  if (TRY(conditions_.refresh()).token_limit == made_under.token_limit) return checked.error();
  return false;
}

Result<Written> Repository::transact(std::string_view command, OnConflict on_conflict,
                                     const std::function<Result<void>(Draft&)>& body) {
  std::vector<store::RefMove> moves;  // The moves of the last attempt; empty if it did not write.
  const auto attempt = [&](bool may_assume, const auto& prepare) -> Result<Written> {
    while (true) {
      const auto draft = this->draft(may_assume);
      moves.clear();
      const WriteConditions made_under = TRY(conditions_.get());
      TRY(prepare(*draft));
      TRY(body(*draft));
      if (!TRY(is_within(*draft, made_under))) continue;
      moves = draft->moves();
      Written written{TRY(draft->write(command, &made_under)), {}};
      if (!written.is_stale) return written;
    }
  };
  const auto as_it_is = [](Draft&) -> Result<void> { return {}; };
  // A draft may assume a tip only if a wrong guess has no effect on the outcome.
  auto written = attempt(on_conflict == OnConflict::reparent, as_it_is);
  const bool was_refused = !written && written.error().code == Error::Code::conflict;

  const auto attempt_alone = [&](const auto& prepare) -> Result<void> {
    while (true) {
      auto held = store_->exclusive([&]() -> Result<void> {
        written = attempt(false, prepare);
        return {};
      });
      if (held || held.error().code != Error::Code::conflict) return held;
    }
  };
  if (on_conflict == OnConflict::reparent) {
    // An equal commit that is already there is another writer's turn, not ours.
    if (!was_refused && !(written && written->was_there)) return written;
    TRY(attempt_alone(as_it_is));
  }
  if (on_conflict == OnConflict::fork && was_refused && !moves.empty()) {
    std::map<std::string, std::string> forks;
    TRY(attempt_alone([&, lost = moves](Draft& forked) -> Result<void> {
      forks = TRY(fork_lost(*store_, lost, forked));
      return {};
    }));
    if (written) written->forks = forks;
  }
  return written;
}

Result<void> Repository::create_branch(std::string_view name, const Oid& at) {
  TRY(transact("branch", OnConflict::fail,
               [&](Draft& draft) { return graph::create_branch(draft, name, at); }));
  return {};
}

Result<void> Repository::create_tag(std::string_view name, const Oid& at) {
  TRY(transact("tag", OnConflict::fail,
               [&](Draft& draft) { return graph::create_tag(draft, name, at); }));
  return {};
}

Result<void> Repository::set_token_limit(std::optional<std::uint64_t> tokens) {
  std::optional<std::string> text;
  if (tokens) text = std::to_string(*tokens);
  return store_->set_property(kTokenLimit, text);
}

Result<void> Repository::check_writable() const {
  if (auto refusal = TRY(conditions_.get()).refusal) return *refusal;
  return {};
}

Result<bool> Repository::commits_reasoning() const {
  const auto text = TRY(store_->property(kCommitReasoningKey));
  return !text || *text != "false";
}

Result<void> Repository::set_commits_reasoning(bool commits) {
  return store_->set_property(kCommitReasoningKey,
                              commits ? std::nullopt : std::optional<std::string>("false"));
}

Result<store::Garbage> Repository::gc(
    const store::GcOptions& options,
    const std::function<Result<void>(const store::Garbage&)>& before) {
  auto garbage = TRY(store::collect_garbage(*store_, options, before));
  drop_caches();
  return garbage;
}

void Repository::drop_caches() const {
  reader_->drop_caches();
  folder_->drop();
}

Result<void> Repository::forget_erased() const {
  const std::uint64_t erasures = TRY(store_->properties({})).erasures;
  if (erasures_.exchange(erasures) != erasures) drop_caches();
  return {};
}

Branch::Branch(Repository& repository, std::string name)
    : repository_(&repository), name_(std::move(name)) {}

Branch Branch::on_ref(Repository& repository, std::string ref) {
  Branch branch(repository, std::move(ref));
  branch.is_branch_ = false;
  return branch;
}

Result<std::optional<Oid>> Branch::tip() const { return repository_->store().ref(ref()); }

Result<Oid> Branch::write(std::string_view command, Reads reads,
                          const std::function<Result<Oid>(Draft&, const std::string& ref)>& body) {
  const std::string problem = is_branch_ ? short_name_problem(name_) : std::string();
  if (!problem.empty()) {
    return invalid(fmt::format("'{}' is not a branch name: {}", name_, problem),
                   "choose another name; '/' may separate its words");
  }
  Oid made;
  const std::string own = ref();
  const auto written =
      repository_->transact(command, on_conflict_, [&](Draft& draft) -> Result<void> {
        if (last_ && reads == Reads::nothing) draft.assume(own, *last_);
        made = TRY(body(draft, own));
        return {};
      });
  last_.reset();
  if (!written) return written.error();
  if (const auto fork = written->forks.find(own); fork != written->forks.end()) {
    name_ = fork->second.substr(store::branch_ref("").size());
  }
  last_ = made;
  return made;
}

Result<Oid> Branch::commit(Turn turn) {
  turn = stamped(std::move(turn), repository_->author(), repository_->clock().now());
  return write(store::name_of(turn.type), Reads::nothing,
               [&](Draft& draft, const std::string& ref) { return draft.append(ref, turn); });
}

Result<std::vector<Oid>> Branch::commit(std::vector<Turn> turns) {
  if (turns.empty()) return invalid("a transaction must have at least one turn", "add a turn");
  const Timestamp now = repository_->clock().now();
  for (Turn& turn : turns) turn = stamped(std::move(turn), repository_->author(), now);
  std::vector<Oid> made;
  TRY(write("commit", Reads::nothing, [&](Draft& draft, const std::string& ref) -> Result<Oid> {
    made.clear();
    for (const Turn& turn : turns) made.push_back(TRY(draft.append(ref, turn)));
    return made.back();
  }));
  return made;
}

Result<Oid> Branch::system(std::string_view text, std::string_view directive, Extra extra) {
  Turn turn{.type = Type::system, .text = std::string(text), .extra = std::move(extra)};
  turn.fields.name = directive;
  return commit(std::move(turn));
}

Result<Oid> Branch::user(std::string_view text, Extra extra) {
  return commit(Turn{.type = Type::user, .text = std::string(text), .extra = std::move(extra)});
}

Result<Oid> Branch::reasoning(std::string_view text, std::string_view format, Extra extra) {
  Turn turn{.type = Type::reasoning, .text = std::string(text), .extra = std::move(extra)};
  turn.fields.format = format;
  return commit(std::move(turn));
}

Result<Oid> Branch::assistant(std::string_view text, std::vector<ToolCall> calls, Extra extra) {
  Turn turn{.type = Type::assistant, .text = std::string(text), .extra = std::move(extra)};
  if (!calls.empty()) turn.fields.tool_calls = std::move(calls);
  return commit(std::move(turn));
}

Result<Oid> Branch::tool(std::string_view text, std::string_view call_id, std::string_view name,
                         bool is_error, Extra extra) {
  Turn turn{.type = Type::tool, .text = std::string(text), .extra = std::move(extra)};
  turn.fields.call_id = call_id;
  turn.fields.name = name;
  turn.fields.is_error = is_error;
  return commit(std::move(turn));
}

Result<Oid> Branch::annotate(const Oid& target, Priority priority, std::string_view reason) {
  return write("annotate", Reads::history, [&](Draft& draft, const std::string& ref) {
    return draft.annotate(ref, target, priority, reason, {});
  });
}

Result<Oid> Branch::edit(const Oid& target, const Edit& edit) {
  return write("edit", Reads::history, [&](Draft& draft, const std::string& ref) {
    return draft.edit(ref, target, edit, {});
  });
}

Result<Oid> Branch::edit(const Oid& target, std::string_view text) {
  return edit(target, Edit{.text = std::string(text), .tool_calls = {}});
}

Result<Turn> Branch::show(const Oid& commit) const {
  return read_turn(repository_->reader(), commit);
}

Result<Prompt> Branch::compile(const CompileOptions& options) const {
  return repository_->compile(TRY(tip()), options);
}

Result<void> Branch::log(const store::Reader::Visitor& visit) const {
  const auto tip = TRY(this->tip());
  if (!tip) return {};
  return store::walk_chain(repository_->reader(), *tip, visit);
}

Result<std::unique_ptr<Branch::Diff>> Branch::diff(const Oid& from) const {
  auto result = std::make_unique<Diff>();
  result->before = TRY(repository_->compile(from));
  result->after = TRY(compile());
  result->diff = TRY(graph::diff(result->before, result->after, repository_->reader()));
  return result;
}

Turn stamped(Turn turn, const std::string& author, Timestamp now) {
  if (turn.author.empty()) turn.author = author;
  if (!turn.time) turn.time = now;
  return turn;
}

Result<Turn> read_turn(const store::Reader& reader, const Oid& oid) {
  const auto commit = TRY(reader.commit(oid));
  Turn turn;
  turn.type = commit->type.value_or(Type::summary);
  turn.text = *TRY(text_of(reader, *commit));
  if (commit->content) turn.media_type = commit->content->media_type;
  turn.fields = TRY(fields_of(reader, *commit));
  turn.extra = TRY(extra_of(reader, *commit));
  turn.facts = TRY(read_facts(commit->meta));
  for (const store::Content& item : commit->raw) {
    turn.raw.push_back({*TRY(reader.content(item.oid)), item.media_type});
  }
  for (const store::Content& item : commit->attach) {
    turn.attach.push_back({*TRY(reader.content(item.oid)), item.media_type});
  }
  turn.prompt = commit->prompt;
  turn.about = commit->about;
  turn.author = commit->author;
  turn.time = commit->time;
  return turn;
}

}  // namespace spoor::graph
