#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "graph/merge.h"
#include "graph/repository.h"
#include "tests/support/backend.h"
#include "tests/support/ports.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

using store::Oid;
using testing::Backend;

/// One store under test, and HEAD: the library has branch handles only, so where
/// HEAD is and was is kept here. Each op of a vector is a call of the library.
class Session {
 public:
  explicit Session(Backend& backend) : backend_(backend) {}

  /// Starts a new, empty store, HEAD on `main`. `options` as of the op `open`.
  Result<void> open(const Json& options);

  /// Closes the store and opens it again. HEAD stays.
  Result<void> reopen();

  /// Runs one op that is not the driver's, with its references replaced. What it
  /// binds is the value; null where an op binds nothing.
  Result<Json> run(const Json& op);

  /// Runs `play` as one transaction; whatever it did is taken back when it fails,
  /// or when `fail`.
  Result<void> batch(bool fail, const std::function<Result<void>()>& play);
  bool is_in_batch() const { return batch_ != nullptr; }

  /// Commits user messages until two names share their first four digits. `tick`
  /// is called before each.
  Result<Json> collide(int most, const std::function<void()>& tick);

  Result<void> tamper(const std::string& what, const std::string& target, const Json& to);

  /// What expectations call a state: `head`, `branch`, …, `exists.HASH`.
  Result<Json> state(const std::string& name);

  /// All that a failing or reading op must leave alone, as one value to compare.
  Result<Json> snapshot();

  testing::ManualClock& clock() { return *clock_; }

 private:
  /// On a branch, or detached at a commit.
  struct Position {
    std::optional<std::string> branch = "main";
    std::optional<Oid> commit;
  };
  using Body = std::function<Result<Json>(graph::Draft&, const std::string& ref)>;

  graph::Repository::Options repository_options() const;
  const store::Reader& reader() const { return repository_->reader(); }
  Result<std::optional<Oid>> head();
  Result<Oid> head_commit();
  Result<std::optional<Oid>> tip(const std::string& ref);
  Result<Oid> resolve(const std::string& revision);
  Result<Oid> resolve_field(const Json& op, const char* field, const std::string& otherwise);
  Result<std::vector<std::string>> names(std::string_view prefix);
  void move_head(Position to);

  // Runs `body` on the current branch: in the batch, or as a transaction.
  Result<Json> write(std::string_view command, const Body& body);
  // The same for what needs no branch.
  Result<Json> write_refs(std::string_view command,
                          const std::function<Result<void>(graph::Draft&)>& body);

  // Ops, in session_write.cc, session_rewrite.cc and session_read.cc.
  Result<Json> append(const Json& op);
  Result<Json> edit(const Json& op);
  Result<Json> restore(const Json& op);
  Result<Json> annotate(const Json& op);
  Result<Json> compress(const Json& op);
  Result<Json> merge(const Json& op);
  Result<Json> reset(const Json& op);
  Result<Json> branch(const Json& op);
  Result<Json> delete_branch(const Json& op);
  Result<Json> checkout(const Json& op);
  Result<Json> tag(const Json& op);
  Result<Json> delete_tag(const Json& op);
  Result<Json> show(const Json& op);
  Result<Json> log(const Json& op);
  Result<Json> status(const Json& op);
  Result<Json> compile(const Json& op);
  Result<Json> annotations(const Json& op);
  Result<Json> versions(const Json& op);
  Result<Json> diff(const Json& op);
  Result<Json> search(const Json& op);
  Result<Json> bisect(const Json& op);
  Result<Json> reasoning_of(const Json& op);
  Result<Json> tags(const Json& op);
  Result<Json> rebase(const Json& op);
  Result<Json> cherry_pick(const Json& op);
  Result<Json> undo(const Json& op);
  Result<Json> verify(const Json& op);
  Result<Json> gc(const Json& op);      // In session_gc.cc.
  Result<Json> ingest(const Json& op);  // In session_reply.cc.
  Result<Json> extract(const Json& op);

  Backend& backend_;
  std::shared_ptr<testing::ManualClock> clock_ = std::make_shared<testing::ManualClock>();
  std::shared_ptr<testing::WordCounter> counter_ = std::make_shared<testing::WordCounter>();
  std::unique_ptr<graph::Repository> repository_;
  Position head_;
  std::optional<Position> previous_;
  graph::Draft* batch_ = nullptr;  // While a batch is under way.
};

/// Turns a Result of the library into a value, or ends the vector as failed.
template <class T>
T must(Result<T> result) {
  if (!result) throw BadVector(result.error().message);
  return std::move(result).value();
}

}  // namespace spoor::vectors
