#include "tests/vectors_runner/session.h"

#include <array>
#include <map>
#include <set>

#include "tests/vectors_runner/forge.h"

namespace spoor::vectors {
namespace {

// A transaction that a batch abandons on purpose.
const Error kAbandoned = interrupted("abandoned");

bool is_abandoned(const Error& error) {
  return error.code == kAbandoned.code && error.message == kAbandoned.message;
}

}  // namespace

graph::Repository::Options Session::repository_options() const {
  graph::Repository::Options options;
  options.author = "vector";
  options.clock = clock_;
  options.counter = counter_;
  return options;
}

Result<void> Session::open(const Json& options) {
  repository_.reset();
  repository_ = TRY(graph::Repository::over(TRY(backend_.create()), repository_options()));
  head_ = Position{};
  previous_.reset();
  if (options.contains("commit_reasoning")) {
    TRY(repository_->set_commits_reasoning(options["commit_reasoning"].get<bool>()));
  }
  if (options.contains("token_limit")) {
    TRY(repository_->set_token_limit(options["token_limit"].get<std::uint64_t>()));
  }
  return {};
}

Result<void> Session::reopen() {
  repository_.reset();
  repository_ = TRY(graph::Repository::over(TRY(backend_.open()), repository_options()));
  return {};
}

Result<Json> Session::run(const Json& op) {
  using Method = Result<Json> (Session::*)(const Json&);
  static const std::map<std::string, Method> kMethods = {
      {"edit", &Session::edit},
      {"restore", &Session::restore},
      {"annotate", &Session::annotate},
      {"compress", &Session::compress},
      {"merge", &Session::merge},
      {"reset", &Session::reset},
      {"branch", &Session::branch},
      {"delete_branch", &Session::delete_branch},
      {"checkout", &Session::checkout},
      {"tag", &Session::tag},
      {"delete_tag", &Session::delete_tag},
      {"show", &Session::show},
      {"log", &Session::log},
      {"status", &Session::status},
      {"compile", &Session::compile},
      {"annotations", &Session::annotations},
      {"versions", &Session::versions},
      {"diff", &Session::diff},
      {"search", &Session::search},
      {"bisect", &Session::bisect},
      {"reasoning_of", &Session::reasoning_of},
      {"tags", &Session::tags},
      {"rebase", &Session::rebase},
      {"cherry_pick", &Session::cherry_pick},
      {"undo", &Session::undo},
      {"ingest", &Session::ingest},
      {"extract", &Session::extract},
      {"verify", &Session::verify},
      {"gc", &Session::gc},
  };
  const std::string name = op["op"];
  if (name == "resolve") return Json(TRY(resolve(op["rev"])).hex());
  if (store::type_from(name)) return append(op);
  const auto method = kMethods.find(name);
  if (method == kMethods.end()) throw BadVector("the driver cannot do '" + name + "'");
  return (this->*method->second)(op);
}

Result<void> Session::batch(bool fail, const std::function<Result<void>()>& play) {
  if (batch_ != nullptr) throw BadVector("a batch inside a batch");
  const Position head = head_;
  const auto previous = previous_;
  const auto receipt =
      repository_->transact("batch", graph::OnConflict::fail, [&](graph::Draft& draft) {
        batch_ = &draft;
        Result<void> played = play();
        batch_ = nullptr;
        if (played && fail) return Result<void>(kAbandoned);
        return played;
      });
  batch_ = nullptr;
  if (receipt) return {};
  head_ = head;
  previous_ = previous;
  if (fail && is_abandoned(receipt.error())) return {};
  return receipt.error();
}

Result<Json> Session::collide(int most, const std::function<void()>& tick) {
  std::set<std::string> seen;
  for (int i = 0; i < most; ++i) {
    tick();
    const Json hash = TRY(append({{"op", "user"}, {"text", "m" + std::to_string(i)}}));
    const std::string digits = hash.get<std::string>().substr(0, 4);
    if (!seen.insert(digits).second) return Json(digits);
  }
  throw BadVector("no two of the hashes share four digits");
}

Result<void> Session::tamper(const std::string& what, const std::string& target, const Json& to) {
  if (what == "ref") {
    const auto oid = Oid::from_hex(to.get<std::string>());
    if (!oid) return invalid("the forged target is no hash");
    TRY(backend_.forge_branch(target, *oid));
  } else {
    TRY(backend_.forge(TRY(forge(reader(), what, TRY(resolve(target)), to))));
  }
  // Objects are immutable, so the library's caches never look back at the store: a
  // process that runs on would not see the forgery before it reads the bytes anew.
  repository_->drop_caches();
  return {};
}

Result<std::optional<Oid>> Session::tip(const std::string& ref) {
  if (batch_ != nullptr) return batch_->tip(ref);
  return repository_->store().ref(ref);
}

Result<std::optional<Oid>> Session::head() {
  if (head_.branch) return tip(store::branch_ref(*head_.branch));
  return head_.commit;
}

Result<Oid> Session::head_commit() { return resolve("HEAD"); }

Result<Oid> Session::resolve(const std::string& revision) {
  std::string text = revision;
  if (batch_ != nullptr) {
    // Refs that the batch moved are not in the store yet.
    const store::Revision parsed = TRY(store::parse_revision(revision));
    for (const store::RefMove& move : batch_->moves()) {
      const bool is_named =
          move.name == store::branch_ref(parsed.name) || move.name == store::tag_ref(parsed.name);
      if (is_named && !parsed.at && move.after) {
        text = move.after->hex() + revision.substr(parsed.name.size());
        break;
      }
    }
  }
  return repository_->resolve(text, TRY(head()));
}

Result<Oid> Session::resolve_field(const Json& op, const char* field,
                                   const std::string& otherwise) {
  return resolve(op.contains(field) ? op[field].get<std::string>() : otherwise);
}

void Session::move_head(Position to) {
  previous_ = std::move(head_);
  head_ = std::move(to);
}

Result<std::vector<std::string>> Session::names(std::string_view prefix) {
  std::vector<std::string> names;
  for (const store::Ref& ref : TRY(repository_->store().refs(prefix))) {
    names.push_back(ref.name.substr(prefix.size()));
  }
  return names;
}

Result<Json> Session::state(const std::string& name) {
  if (name == "head") {
    const auto head = TRY(this->head());
    return head ? Json(head->hex()) : Json();
  }
  if (name == "branch") return head_.branch ? Json(*head_.branch) : Json();
  if (name == "detached") return Json(!head_.branch.has_value());
  if (name == "branches") return Json(TRY(names(store::branch_ref(""))));
  if (name == "tags") return Json(TRY(names(store::tag_ref(""))));
  if (name.starts_with("exists.")) {
    const auto oid = Oid::from_hex(name.substr(7));
    if (!oid) throw BadVector("'" + name + "' is about no hash");
    return Json(static_cast<bool>(TRY(repository_->store().has(std::array{*oid}))[0]));
  }
  throw BadVector("unknown state '" + name + "'");
}

Result<Json> Session::snapshot() {
  Json all = {{"head", TRY(state("head"))}, {"branch", TRY(state("branch"))}};
  if (batch_ != nullptr) {
    for (const store::RefMove& move : batch_->moves()) {
      all["moves"][move.name] = move.after ? Json(move.after->hex()) : Json();
    }
    return all;
  }
  const store::Store& store = repository_->store();
  for (const store::Ref& ref : TRY(store.refs(""))) all["refs"][ref.name] = ref.target.hex();
  const auto newest = TRY(store.newest_operation());
  all["operation"] = newest ? newest->number : 0;
  std::size_t commits = 0;
  const auto scanned = store.scan([&](const store::StoredObject& stored) {
    commits += stored.object.kind == store::Kind::commit ? 1 : 0;
    return true;
  });
  // A forged store may refuse to be read to the end; that is for `verify` to say.
  if (!scanned && scanned.error().code != Error::Code::corrupt) return scanned.error();
  all["commits"] = commits;
  return all;
}

}  // namespace spoor::vectors
