#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/fold.h"
#include "compile/prompt.h"
#include "compile/scrubber.h"
#include "compile/tokens.h"
#include "graph/diff.h"
#include "graph/draft.h"
#include "store/gc.h"
#include "store/revision.h"

namespace spoor::graph {

using compile::CompileOptions;
using compile::Extra;
using compile::Folder;
using compile::Prompt;
using compile::Scrubber;
using compile::TokenCounter;
using compile::ToolCall;
using compile::Turn;
using store::Oid;
using store::Priority;

class Branch;

/// What to do if another writer moved the branch between our read and our write.
enum class OnConflict {
  reparent,  ///< write again after the new tip: no turn is lost
  fail,      ///< Code::conflict
  fork,      ///< write to a new branch, `<name>-2` and so on, from the tip that was read
};

/// The result of a transaction.
struct Written : store::Receipt {
  /// Under OnConflict::fork: each branch that another writer had moved, to the new branch that was
  /// written instead. Full ref names.
  std::map<std::string, std::string> forks;
};

/// An open store: reads and verifies objects, folds commits into prompts, writes branches.
///
/// Thread-safe. A Branch made from it must not outlive it.
class Repository {
 public:
  /// The options for opening a repository; each has a default.
  struct Options {
    std::string author;                           ///< of turns without one; empty: `user`
    std::shared_ptr<const Clock> clock;           ///< null: the system clock
    std::shared_ptr<const Scrubber> scrubber;     ///< null: stores everything unchanged
    std::shared_ptr<const TokenCounter> counter;  ///< null: ByteCounter
    std::string blob_key;                         ///< 32-byte key of a private store; else empty
    /// Finds the key under which derived data is kept in the store (store/kept_cache.h): one of
    /// the user's, not of the store. Empty: none is kept.
    store::KeptCache::FindKey cache_key = {};
    std::size_t cache_bytes = 128U << 20U;
    ReadLimits limits = {};  ///< limits on what a store may load into memory
    bool read_only = false;  ///< for a file: open it read-only
    bool durable = true;     ///< for a file: an acknowledged commit survives a power cut
    /// Called with every read, from any thread. While it returns true, reads return
    /// Code::interrupted. Commits already acknowledged stay written.
    std::function<bool()> is_cancelled = {};
  };

  /// Opens the store file at `path`. Returns Code::not_found if there is none.
  static Result<std::unique_ptr<Repository>> open(const std::string& path);
  static Result<std::unique_ptr<Repository>> open(const std::string& path, Options options);

  /// Creates a store file. Returns Code::conflict if `path` exists.
  static Result<std::unique_ptr<Repository>> create(const std::string& path);
  static Result<std::unique_ptr<Repository>> create(const std::string& path, Options options);

  /// Makes a store in memory, for tests and dry runs.
  static std::unique_ptr<Repository> in_memory();
  static std::unique_ptr<Repository> in_memory(Options options);

  /// Returns a new store in memory with the options and the key of this one, so that equal turns
  /// get equal names.
  std::unique_ptr<Repository> empty_sibling() const;

  /// Opens another store, such as a store::Quarantine in front of this one, with the same options
  /// and key.
  Result<std::unique_ptr<Repository>> sibling(std::unique_ptr<store::Store> store) const;

  /// Opens any implementation of store::Store. Asks it for nothing yet.
  static Result<std::unique_ptr<Repository>> over(std::unique_ptr<store::Store> store,
                                                  Options options);

  /// Returns a branch by its short name. It need not exist: its first turn creates it.
  Branch branch(std::string name);

  /// Returns the commit that `revision` names (store/revision.h, graph/revision.h). HEAD is `head`
  /// (default: none), on the branch `head_ref` (a full name), if any. `is_session`: as in the
  /// context of store/revision.h.
  Result<Oid> resolve(std::string_view revision, const std::optional<Oid>& head = {},
                      const std::string& head_ref = {}, bool is_session = false) const;

  /// Returns the prompt at a commit: always the same, in every process.
  Result<Prompt> compile(const Oid& commit, const CompileOptions& options = {}) const;

  /// As above; nullopt gives the empty prompt.
  Result<Prompt> compile(const std::optional<Oid>& commit,
                         const CompileOptions& options = {}) const;

  /// As compile(), for sending to a model: texts of which only a hash is stored are restored if
  /// this process wrote them and still has them.
  Result<Prompt> compile_to_send(const std::optional<Oid>& commit,
                                 const CompileOptions& options = {}) const;

  /// Runs `body` on a draft and writes it as one transaction, by `command`. If another writer was
  /// first, runs `body` again as `on_conflict` requires, while all other writers wait, and runs it
  /// again if the store's token limit was changed meanwhile; so `body` must not have side effects.
  /// Only branches can fork: a race for another ref is Code::conflict.
  Result<Written> transact(std::string_view command, OnConflict on_conflict,
                           const std::function<Result<void>(Draft&)>& body);

  /// Returns a draft for bulk work; see Draft::write().
  std::unique_ptr<Draft> draft();

  /// Returns Code::conflict if `name` is taken, Code::invalid if it is malformed.
  Result<void> create_branch(std::string_view name, const Oid& at);
  Result<void> create_tag(std::string_view name, const Oid& at);

  /// Returns the largest prompt, in tokens, to which a commit may bring a branch; nullopt: no
  /// limit. Kept in the store (`init --token-limit`) and read again with every call. Returns
  /// Code::corrupt if it is not a number.
  Result<std::optional<std::uint64_t>> token_limit() const;
  Result<void> set_token_limit(std::optional<std::uint64_t> tokens);

  /// Reports whether the reasoning in models' replies is committed. Kept in the store; true by
  /// default. Reasoning written by hand is always committed.
  Result<bool> commits_reasoning() const;
  Result<void> set_commits_reasoning(bool commits);

  /// store::collect_garbage(), after which the caches are empty.
  Result<store::Garbage> gc(const store::GcOptions& options,
                            const std::function<Result<void>(const store::Garbage&)>& before = {});

  /// Returns the error that a write would return if the store cannot be written.
  Result<void> check_writable() const;

  /// Returns the digest of a request's body as it is in a bundle of this store.
  Oid digest_of(std::string_view body) const { return salter_.digest_of(body); }
  /// Reports whether a private store's key is available.
  bool is_private() const { return salter_.is_private(); }

  store::Store& store() { return *store_; }
  const store::Store& store() const { return *store_; }
  const store::Reader& reader() const { return *reader_; }
  const Folder& folder() const { return *folder_; }
  const store::KeptCache& kept_cache() const { return *kept_cache_; }
  const Scrubber& scrubber() const { return *options_.scrubber; }
  /// Under what a draft is made: transact() runs a body again if the store asks for something else.
  const KnownConditions& conditions() const { return conditions_; }
  const TokenCounter& counter() const { return *options_.counter; }
  const Clock& clock() const { return *options_.clock; }
  const std::string& author() const { return options_.author; }

  /// Drops this process's caches; nothing stored changes.
  void drop_caches() const;

  /// Drops them if anything was erased since the last call, by whichever process. For processes that
  /// answer more than once, before each answer that has texts. Safe from any thread.
  Result<void> forget_erased() const;

 private:
  Repository(std::unique_ptr<store::Store> store, Options options);
  std::unique_ptr<Draft> draft(bool may_assume);
  Result<Prompt> prompt_at(const Oid& commit, const CompileOptions& options,
                           const Scrubber* originals) const;
  Result<bool> is_within(const Draft& draft, const WriteConditions& made_under) const;
  Result<void> check_prompts(const Draft& draft, std::optional<std::uint64_t> limit) const;
  friend class Branch;

  std::unique_ptr<store::Store> store_;
  Options options_;
  store::Salter salter_;
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<store::KeptCache> kept_cache_;
  std::unique_ptr<compile::LineIndex> line_index_;
  std::unique_ptr<Folder> folder_;
  mutable std::atomic<std::uint64_t> erasures_ = ~std::uint64_t{0};  // As forget_erased() read it.
  KnownConditions conditions_;
};

/// A handle on one branch. Reads and writes it by name; it does not use HEAD.
///
/// Several handles, threads and processes may share a branch; each call is one transaction. Use a
/// handle from one thread at a time.
class Branch {
 public:
  Branch(Repository& repository, std::string name);

  /// Returns a handle on any ref, by its full name, such as `refs/runs/17/critic`: a chain of turns
  /// that is not one of the user's branches. It cannot fork.
  static Branch on_ref(Repository& repository, std::string ref);

  /// The short name of a branch, or the full name of another ref.
  const std::string& name() const { return name_; }
  std::string ref() const { return is_branch_ ? store::branch_ref(name_) : name_; }
  Repository& repository() const { return *repository_; }

  /// Returns nullopt if the branch does not exist yet.
  Result<std::optional<Oid>> tip() const;

  /// Append a turn to the branch, by the repository's author, now. Each returns the commit's name.
  Result<Oid> system(std::string_view text, std::string_view directive = {}, Extra extra = {});
  Result<Oid> user(std::string_view text, Extra extra = {});
  Result<Oid> reasoning(std::string_view text, std::string_view format = "parsed",
                        Extra extra = {});
  Result<Oid> assistant(std::string_view text, std::vector<ToolCall> calls = {}, Extra extra = {});
  Result<Oid> tool(std::string_view text, std::string_view call_id, std::string_view name,
                   bool is_error = false, Extra extra = {});

  /// Appends a turn. Fills in author and time if the turn has none.
  Result<Oid> commit(Turn turn);

  /// Appends several turns as one transaction: all or none.
  Result<std::vector<Oid>> commit(std::vector<Turn> turns);

  Result<Oid> annotate(const Oid& target, Priority priority, std::string_view reason = {});
  Result<Oid> edit(const Oid& target, const Edit& edit);
  Result<Oid> edit(const Oid& target, std::string_view text);

  /// Returns a turn of this store, with its texts.
  Result<Turn> show(const Oid& commit) const;

  /// Returns the prompt at the tip.
  Result<Prompt> compile(const CompileOptions& options = {}) const;

  /// Visits the commits in chain order, newest first, until the visitor returns false.
  Result<void> log(const store::Reader::Visitor& visit) const;

  /// A comparison of two prompts, and the prompts.
  struct Diff {
    Prompt before;
    Prompt after;
    PromptDiff diff;
  };
  Result<std::unique_ptr<Diff>> diff(const Oid& from) const;

  /// Sets what to do if another writer was first; the default is reparent. After a fork this handle
  /// is on the new branch.
  void on_conflict(OnConflict policy) { on_conflict_ = policy; }

  /// Runs several ops on this branch (`ref`) as one transaction, by `command`, with this handle's
  /// conflict policy. `body` as in Repository::transact(), but it returns the new tip.
  Result<Oid> write(std::string_view command,
                    const std::function<Result<Oid>(Draft&, const std::string& ref)>& body) {
    return write(command, Reads::history, body);
  }

 private:
  enum class Reads { nothing, history };  // What the body reads apart from the tip.
  Result<Oid> write(std::string_view command, Reads reads,
                    const std::function<Result<Oid>(Draft&, const std::string& ref)>& body);

  Repository* repository_;
  std::string name_;
  bool is_branch_ = true;
  std::optional<Oid> last_;  // The commit this handle wrote last: most likely still the tip.
  OnConflict on_conflict_ = OnConflict::reparent;
};

/// Fills in the author and time of a new turn if it has none.
Turn stamped(Turn turn, const std::string& author, Timestamp now);

/// Reads a turn back from a commit, with its texts.
Result<Turn> read_turn(const store::Reader& reader, const Oid& commit);

}  // namespace spoor::graph
