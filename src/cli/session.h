#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/command.h"
#include "api/workspace.h"
#include "base/timestamp.h"
#include "cli/arguments.h"
#include "cli/config.h"
#include "cli/environment.h"
#include "cli/error.h"
#include "cli/interactive.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "compile/scrubber.h"
#include "guard/capture/field_modes.h"
#include "store/sqlite/sqlite_store.h"

namespace spoor::cli {

using api::Workspace;
using graph::Repository;

struct Command;
class CaptureSwitch;

/// What a program run is given from outside. All of it outlives the session.
struct Host {
  Terminal& terminal;
  const Environment& environment;
  const Clock& clock;
};

/// A name that stands for a commit, for completion.
struct RefName {
  std::string name;  ///< as a user types it
  std::string kind;  ///< "branch", "tag" or "HEAD"
};

/// One run of one command line, or of the many lines of the interactive session:
/// where output goes, what is configured, which store is worked on.
class Session {
 public:
  explicit Session(const Host& host);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Output& out() { return out_; }
  Output& err() { return err_; }
  Terminal& terminal() { return host_.terminal; }
  Config& config() { return config_; }
  const Environment& environment() const { return host_.environment; }
  const Clock& clock() const { return host_.clock; }

  /// Makes this a session of many lines.
  Interactive& become_interactive();

  /// What only a session of many lines has; null for one command line.
  Interactive* interactive() { return interactive_ ? &*interactive_ : nullptr; }

  /// The next command begins: nothing has gone wrong yet. `place` is where its
  /// line stands, `file:line`, for errors; empty at a prompt.
  void begin_command(std::string place);

  /// Takes colour, `--raw`, the store's path and the pager from the options of
  /// this line. `pages`: the command's output may go through the pager.
  /// Code::invalid when the configuration cannot be understood.
  Result<void> use(const Arguments& options, bool pages);

  /// Which store to work on, as --store says; before it is opened.
  void use_store(std::string path) { store_path_ = std::move(path); }

  /// The store, opened at the first call. Code::not_found, with a hint, when
  /// there is none. It lives as long as the session. One that the user does not
  /// trust can only be read, and none of its settings holds.
  Result<Workspace*> workspace();

  /// The store and all else that commands of the api work on. It lives as long as the session.
  Result<api::Context> context();

  /// The same, also where the store lacks the end of its log: for commands that look for damage or
  /// mend it.
  Result<Workspace*> workspace_for_repair();

  /// The same, but the user's own store is made where there is none, and the user is told.
  Result<Workspace*> workspace_or_new();

  /// The same, but Code::not_found for a store that was named and is not there.
  Result<Workspace*> workspace_or_own();

  /// Unless a store was named, from now on the user's own is meant, where the project has one too:
  /// what an agent does is recorded outside of the folder it works in. Before it is opened.
  void use_own_store();

  /// Code::denied when the user does not trust the store (trust.h), with what to do. Opens it, if
  /// there is one. For what would do more with it than read.
  Result<void> require_trust();

  /// The same, and Code::io where its file may not be written: before a long text is read that
  /// could not be kept.
  Result<void> require_writing();

  /// The user trusts the store from now on, and the session opens it anew. False: it was trusted.
  Result<bool> trust_store();

  /// The file that workspace_or_new() opens or makes; empty where there is no place for one.
  std::string store_path() const;

  /// Makes a store, which is trusted, and opens it. Code::conflict when something is there. No file
  /// is left where that fails.
  Result<Workspace*> create_workspace(const std::string& path);

  /// Takes away the files of the store that create_workspace() made: it did not become what it was
  /// to be.
  Result<void> discard_workspace();

  /// How much one text, or one prompt, may take in memory: the setting `max-text`.
  Result<ReadLimits> read_limits();

  /// Until the next command begins, what is written to the store is captured no more fully than
  /// this; store and settings may want less. Opens the store.
  Result<void> capture_at_most(compile::Capture capture);
  Result<void> capture_at_most(const guard::FieldModes& modes);

  /// The modes that are in force in the store.
  Result<guard::FieldModes> capture_modes();
  Result<compile::Capture> capture();

  /// Until the next command begins, what is hashed is not kept in memory as it came: no model will
  /// be sent it.
  Result<void> forget_originals();

  /// Another process may have changed what store and settings ask for.
  Result<void> refresh_capture();

  /// `line` as a file beside the store may keep it: as the store would, were it written there now,
  /// and no more fully than `least`. Nothing where only its hash would be kept. Makes no store.
  Result<std::optional<std::string>> scrubbed(std::string line, compile::Capture least);

  /// Who turns written by hand are by: config, else the login name, else `user`.
  Result<std::string> author();

  /// Branches, and with `all` tags and HEAD too; none where no store can be opened.
  std::vector<RefName> ref_names(bool all);

  /// Whatever the command answers, the process shall end with `status`.
  void exit_with(int status) { status_ = status; }
  int status() const { return status_; }

  /// Fills the front of `buffer` from standard input; 0 at its end. Code::io, or
  /// Code::invalid while a script is read from there.
  Result<std::size_t> read_input(std::span<char> buffer);

  /// An error of whoever typed the line: exit status 2.
  Error usage_error(std::string message, std::string hint = {});

  /// Prints `error: …` and `hint: …`, and settles the exit status.
  void report(const Error& error);

  /// Sends out what is still held back and closes the pager.
  void finish();

 private:
  Result<std::unique_ptr<store::SqliteStore>> open_file(const std::string& path);
  Result<std::unique_ptr<store::SqliteStore>> open_trusted(const std::string& path);
  Result<std::chrono::seconds> patience();
  Result<std::string> checked_setting(const char* name);
  Result<std::unique_ptr<Repository>> open_repository(const std::string& path);
  Result<std::unique_ptr<Repository>> open_over(std::unique_ptr<store::Store> opened);
  Workspace* adopt(std::unique_ptr<Repository> repository, const std::string& path);

  Host host_;
  Output out_;
  Output err_;
  Config config_;
  std::optional<Interactive> interactive_;
  std::string place_;
  std::string store_path_;
  std::string at_operation_;       // Empty: the present.
  std::optional<Error> distrust_;  // Of the store that is open.
  bool accepts_cut_log_ = false;
  std::shared_ptr<CaptureSwitch> capture_;  // Of the store that is open.
  std::unique_ptr<Workspace> workspace_;
  std::optional<llm::PriceList> prices_;  // Once they are read.
  std::string prices_id_;
  int status_ = kExitOk;
};

}  // namespace spoor::cli
