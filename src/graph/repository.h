#pragma once

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
using compile::Folder;
using compile::Prompt;
using compile::Scrubber;
using compile::TokenCounter;
using compile::ToolCall;
using compile::Turn;
using store::Oid;
using store::Priority;

class Branch;

/// What to do when another writer moved the branch between our read and our write.
enum class OnConflict {
  reparent,  ///< write again behind the new tip: nobody's turn is lost
  fail,      ///< Code::conflict
  fork,      ///< write to a new branch, `<name>-2` and so on, from what was read
};

/// What a transaction did.
struct Written : store::Receipt {
  /// Under OnConflict::fork: each branch that another writer had moved, and the new
  /// one that was written in its place. Full ref names.
  std::map<std::string, std::string> forks;
};

/// A store opened for use: its objects read and verified, its commits folded into
/// prompts, its branches written.
///
/// Safe to call from any thread. Branches made from it must not outlive it.
class Repository {
 public:
  /// What a repository is opened with; each has a default.
  struct Options {
    std::string author;                           ///< of turns that name none; empty: `user`
    std::shared_ptr<const Clock> clock;           ///< null: the machine's
    std::shared_ptr<const Scrubber> scrubber;     ///< null: lets everything through
    std::shared_ptr<const TokenCounter> counter;  ///< null: ByteCounter
    std::string blob_key;                         ///< 32 bytes: a private store's key; else empty
    std::size_t cache_bytes = 128U << 20U;
    ReadLimits limits = {};  ///< what a store may bring into memory
    bool read_only = false;  ///< for a file: open it for reading alone
    bool durable = true;     ///< for a file: an acknowledged commit survives a power cut
    /// Asked with every read, from any thread: while it says true, whatever reads is
    /// Code::interrupted. What was acknowledged as written stays written.
    std::function<bool()> is_cancelled = {};
  };

  /// Opens the store file at `path`; Code::not_found when there is none.
  static Result<std::unique_ptr<Repository>> open(const std::string& path);
  static Result<std::unique_ptr<Repository>> open(const std::string& path, Options options);

  /// Makes a new store file; Code::conflict when something is there.
  static Result<std::unique_ptr<Repository>> create(const std::string& path);
  static Result<std::unique_ptr<Repository>> create(const std::string& path, Options options);

  /// A store that forgets: for tests and dry runs.
  static std::unique_ptr<Repository> in_memory();
  static std::unique_ptr<Repository> in_memory(Options options);

  /// A new store that forgets, with the options and the key of this one: the same turns have the
  /// same names there.
  std::unique_ptr<Repository> empty_sibling() const;

  /// The same options and key over another store, such as a store::Quarantine in front of this one.
  Result<std::unique_ptr<Repository>> sibling(std::unique_ptr<store::Store> store) const;

  /// Over any implementation of the port. Reads the store's own options.
  static Result<std::unique_ptr<Repository>> over(std::unique_ptr<store::Store> store,
                                                  Options options);

  /// A branch by its short name. It need not exist: its first turn makes it.
  Branch branch(std::string name);

  /// The commit that `revision` names (store/revision.h, compile/revision.h); HEAD is
  /// `head`, nothing by default, and on the branch `head_ref` (a full name), if any.
  Result<Oid> resolve(std::string_view revision, const std::optional<Oid>& head = {},
                      const std::string& head_ref = {}) const;

  /// The prompt at a commit. Pure: the same for ever, in every process.
  Result<Prompt> compile(const Oid& commit, const CompileOptions& options = {}) const;

  /// The prompt of no commit at all.
  Result<Prompt> compile(const std::optional<Oid>& commit,
                         const CompileOptions& options = {}) const;

  /// The same as a model is sent it: texts that were only hashed are put back, where this process
  /// wrote them and still has them.
  Result<Prompt> compile_to_send(const std::optional<Oid>& commit,
                                 const CompileOptions& options = {}) const;

  /// Runs `body` on a draft and writes it as one transaction, by `command`. When
  /// another writer was first, `body` runs again with every other writer held
  /// off, as `on_conflict` says; so it must not have effects of its own. Only
  /// branches can fork: a race for another ref is Code::conflict then.
  Result<Written> transact(std::string_view command, OnConflict on_conflict,
                           const std::function<Result<void>(Draft&)>& body);

  /// A draft of one's own, for bulk work; see Draft::write().
  std::unique_ptr<Draft> draft();

  /// `name` must be free (Code::conflict) and well-formed (Code::invalid).
  Result<void> create_branch(std::string_view name, const Oid& at);
  Result<void> create_tag(std::string_view name, const Oid& at);

  /// The largest prompt, in tokens, that a commit may bring a branch to; nothing:
  /// no limit. Kept in the store (`init --token-limit`) and read there each time,
  /// since another process may have changed it. Code::corrupt when it is no number.
  Result<std::optional<std::uint64_t>> token_limit() const;
  Result<void> set_token_limit(std::optional<std::uint64_t> tokens);

  /// Is the reasoning of models' replies committed? Kept in the store, true unless set; a
  /// reasoning that is written by hand is committed either way.
  Result<bool> commits_reasoning() const;
  Result<void> set_commits_reasoning(bool commits);

  /// Finds what nothing needs any more (store/gc.h), hands it to `before`, and then drops it for
  /// good, while every other writer waits. An error of `before` ends it: nothing has changed.
  Result<store::Garbage> gc(const store::GcOptions& options,
                            const std::function<Result<void>(const store::Garbage&)>& before = {});

  /// Can anything be written here? The error that a write would end with, else.
  Result<void> check_writable() const;

  /// The digest of a request's body, as a bundle of this store has it.
  Oid digest_of(std::string_view body) const { return salter_.digest_of(body); }
  /// Is the key of a private store at hand?
  bool is_private() const { return salter_.is_private(); }

  store::Store& store() { return *store_; }
  const store::Store& store() const { return *store_; }
  const store::Reader& reader() const { return *reader_; }
  const Folder& folder() const { return *folder_; }
  const Scrubber& scrubber() const { return *options_.scrubber; }
  const TokenCounter& counter() const { return *options_.counter; }
  const Clock& clock() const { return *options_.clock; }
  const std::string& author() const { return options_.author; }

  /// Forgets what the process has cached; nothing stored changes.
  void drop_caches() const;

 private:
  Repository(std::unique_ptr<store::Store> store, Options options);
  std::unique_ptr<Draft> draft(bool may_assume);
  Result<void> check_token_limit(const Draft& draft) const;
  friend class Branch;

  std::unique_ptr<store::Store> store_;
  Options options_;
  store::Salter salter_;
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<Folder> folder_;
  std::optional<Error> refusal_;  // Why nothing may be written, if so.
};

/// A handle on one branch: reads and writes it by name, with no HEAD anywhere.
///
/// Several handles, threads and processes may share a branch; each call is one
/// transaction. One handle is for one thread at a time.
class Branch {
 public:
  Branch(Repository& repository, std::string name);

  /// The same on any ref, by its full name, such as `refs/runs/17/critic`: turns behind each
  /// other, that are no branch of the user's. It cannot fork.
  static Branch on_ref(Repository& repository, std::string ref);

  /// The short name of a branch, the full one of any other ref.
  const std::string& name() const { return name_; }
  std::string ref() const { return is_branch_ ? store::branch_ref(name_) : name_; }
  Repository& repository() const { return *repository_; }

  /// Nothing when the branch does not exist yet.
  Result<std::optional<Oid>> tip() const;

  /// Turns at the end of the branch, by the repository's author, now. Each gives
  /// the new commit's name.
  Result<Oid> system(std::string_view text, std::string_view directive = {});
  Result<Oid> user(std::string_view text);
  Result<Oid> reasoning(std::string_view text, std::string_view format = "parsed");
  Result<Oid> assistant(std::string_view text, std::vector<ToolCall> calls = {});
  Result<Oid> tool(std::string_view text, std::string_view call_id, std::string_view name,
                   bool is_error = false);

  /// Any turn. Author and time are filled in where the turn has none.
  Result<Oid> commit(Turn turn);

  /// Several turns as one transaction: all or none.
  Result<std::vector<Oid>> commit(std::vector<Turn> turns);

  Result<Oid> annotate(const Oid& target, Priority priority, std::string_view reason = {});
  Result<Oid> edit(const Oid& target, const Edit& edit);
  Result<Oid> edit(const Oid& target, std::string_view text);

  /// A turn of this store, read back with its texts: what it says, beside what
  /// the commit itself holds.
  Result<Turn> show(const Oid& commit) const;

  /// The prompt at the tip.
  Result<Prompt> compile(const CompileOptions& options = {}) const;

  /// Commits in chain order, newest first, until the visitor returns false.
  Result<void> log(const store::Reader::Visitor& visit) const;

  /// What the prompt of `from` became at the tip. The prompts are kept with it.
  struct Diff {
    Prompt before;
    Prompt after;
    PromptDiff diff;
  };
  Result<std::unique_ptr<Diff>> diff(const Oid& from) const;

  /// What to do when another writer was first; reparent unless set. After a fork
  /// this handle is on the new branch.
  void on_conflict(OnConflict policy) { on_conflict_ = policy; }

  /// Several ops of one transaction, by `command`, on this branch (`ref`); as every other call
  /// of this handle, and `body` as Repository::transact has it. `body` returns the new tip.
  Result<Oid> write(std::string_view command,
                    const std::function<Result<Oid>(Draft&, const std::string& ref)>& body) {
    return write(command, Reads::history, body);
  }

 private:
  enum class Reads { nothing, history };  // What the body depends on beside the tip.
  Result<Oid> write(std::string_view command, Reads reads,
                    const std::function<Result<Oid>(Draft&, const std::string& ref)>& body);

  Repository* repository_;
  std::string name_;
  bool is_branch_ = true;
  std::optional<Oid> last_;  // What this handle wrote last: most likely still the tip.
  OnConflict on_conflict_ = OnConflict::reparent;
};

/// Fills in what a turn written now lacks: author, time, capture mode.
Turn stamped(Turn turn, const std::string& author, Timestamp now);

/// A turn read back from a commit, its texts included.
Result<Turn> read_turn(const store::Reader& reader, const Oid& commit);

}  // namespace spoor::graph
