#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/command.h"
#include "api/printed_ids.h"
#include "api/workspace.h"
#include "base/environment.h"
#include "base/timestamp.h"
#include "cli/arguments.h"
#include "cli/error.h"
#include "cli/settings/config.h"
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

/// The environment of a program run. All members outlive the session.
struct Host {
  Terminal& terminal;
  const Environment& environment;
  const Clock& clock;
};

/// A name of a commit, for completion.
struct RefName {
  std::string name;  ///< as a user types it
  std::string kind;  ///< "branch", "tag" or "HEAD"
};

/// The state of an interactive session beyond one command line. Its own commands (Group::session)
/// set it; the loop in repl/ acts on it.
struct Interactive {
  bool timer = false;                   ///< print after each command how long it took
  bool bail = false;                    ///< a script ends at its first failure
  bool leave = false;                   ///< end the session
  bool script_is_input = false;         ///< standard input is being run as a script
  std::set<std::string> allowed_tools;  ///< approved for the rest of the session
  std::string once;                     ///< the file for the output of the next command
  std::string script;                   ///< the file with the next lines to run
  api::PrintedIds printed;              ///< the commits that @1, @2 and so on name
};

/// One run of one command line, or of the many lines of the interactive session: its outputs,
/// configuration and store.
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

  /// Returns the state of an interactive session; null for one command line.
  Interactive* interactive() { return interactive_ ? &*interactive_ : nullptr; }

  /// Begins the next command with a clean exit status. `place` is the line's position, `file:line`,
  /// for errors; empty at a prompt.
  void begin_command(std::string place);

  /// Sets colour, `--raw`, the store's path and the pager from the options of this line. `pages`:
  /// the command's output may use the pager. Returns Code::invalid if the configuration cannot be
  /// parsed.
  Result<void> use(const Arguments& options, bool pages);

  /// Sets the path of the store, as --store does; call it before the store is opened.
  void use_store(std::string path) { store_path_ = std::move(path); }

  /// Returns the store, opened at the first call; it lives as long as the session. Returns
  /// Code::not_found with a hint if there is none. A store that the user does not trust is
  /// read-only, and its settings are ignored.
  Result<Workspace*> workspace();

  /// Returns the store and the other objects that commands of the api use. It lives as long as the
  /// session.
  Result<api::Context> context();

  /// Like workspace(), but also opens a store whose log lacks its end: for commands that look for
  /// damage or repair it.
  Result<Workspace*> workspace_for_repair();

  /// Like workspace(), but creates the user's own store if there is none, and prints that.
  Result<Workspace*> workspace_or_new();

  /// Like workspace_or_new(), but returns Code::not_found for a named store that does not exist.
  Result<Workspace*> workspace_or_own();

  /// Selects the user's own store, unless a store was named, even if the project has one: records
  /// of an agent stay outside the folder it works in. Call it before the store is opened.
  void use_own_store();

  /// Returns Code::denied with a hint if the user does not trust the store (trust.h). Opens the
  /// store, if there is one. For every use beyond reading.
  Result<void> require_trust();

  /// Like require_trust(), and returns Code::io if the store's file cannot be written. Call it
  /// before reading a long text to be stored.
  Result<void> require_writing();

  /// Marks the store as trusted and opens it anew. Returns false if it was trusted already.
  Result<bool> trust_store();

  /// Returns the file that workspace_or_new() opens or creates; empty if there is neither a store
  /// nor a home.
  /// store.
  std::string store_path() const;

  /// Creates a store, marks it as trusted, and opens it. Returns Code::conflict if the path exists.
  /// Leaves no file on failure. `keys`: as in PostgresStore::create().
  Result<Workspace*> create_workspace(const std::string& path, const std::string& keys = {});

  /// Removes the files of the store that create_workspace() made, after its setup failed.
  Result<void> discard_workspace();

  /// Returns the memory limit for one text or one prompt: the setting `max-text`.
  Result<ReadLimits> read_limits();

  /// Limits capture, until the next command begins, to at most this mode; the store and the
  /// settings may ask for less. Opens the store.
  Result<void> capture_at_most(compile::Capture capture);
  Result<void> capture_at_most(const guard::FieldModes& modes);

  /// Returns the modes in force in the store.
  Result<guard::FieldModes> capture_modes();
  Result<compile::Capture> capture();

  /// Until the next command begins, does not keep the originals of hashed texts in memory. For
  /// commands that send them to no model.
  Result<void> forget_originals();

  /// Reads the capture settings of store and configuration again, since another process may have
  /// changed them.
  Result<void> refresh_capture();

  /// Returns `line` as a file next to the store may keep it: as the store would record it now, and
  /// no more fully than `least`. Returns nullopt if only its hash would be recorded. Does not
  /// create a store.
  Result<std::optional<std::string>> scrubbed(std::string line, compile::Capture least);

  /// Returns the author of turns written by hand: config, else the login name, else `user`.
  Result<std::string> author();

  /// Returns branches, and with `all` also tags and HEAD; none if no store can be opened.
  std::vector<RefName> ref_names(bool all);

  /// Makes the process exit with `status`, whatever the command returns.
  void exit_with(int status) { status_ = status; }
  int status() const { return status_; }

  /// Fills the front of `buffer` from standard input; returns 0 at its end. Returns Code::io, or
  /// Code::invalid while a script is read from standard input.
  Result<std::size_t> read_input(std::span<char> buffer);

  /// Returns an error in the command line: exit status 2.
  Error usage_error(std::string message, std::string hint = {});

  /// Prints `error: …` and `hint: …`, and sets the exit status.
  void report(const Error& error);

  /// Returns the command as a person would type it, `spoor WORDS`, with --store if this one had it.
  std::string typed(std::string_view words) const;

  /// Asks a person `question`, to be answered with y or n.
  Result<bool> agrees(std::string_view question);

  /// Returns true if a person types the input, and it is not that of an interactive session.
  bool input_is_tty();

  /// Returns true if a person can be asked a question: also in an interactive session.
  bool can_ask();

  /// The files beside the store that commands may read: of a session that others ask, those of the
  /// working folder, or none. A link out of the folder leads nowhere.
  enum class Files { all, below_folder, none };
  void restrict_files(Files files) { files_ = files; }

  /// Returns Code::denied, whether the file exists or not, if commands may not read it.
  Result<void> may_read(const std::string& path) const;

  /// Runs a command within another one: returns what it prints to standard output. It has no
  /// standard input, and its exit status and capture mode end with it.
  Result<std::string> output_of(const Command& command, const Arguments& arguments);

  /// Flushes the output and closes the pager.
  void finish();

 private:
  Result<std::unique_ptr<store::SqliteStore>> open_file(const std::string& path);
  Result<std::unique_ptr<store::Store>> open_address(const std::string& address);
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
  std::string named_store_;        // By --store, so that hints name it, too.
  std::string at_operation_;       // Empty: the present.
  std::optional<Error> distrust_;  // For the open store.
  Files files_ = Files::all;
  bool accepts_cut_log_ = false;
  bool has_input_ = true;
  std::shared_ptr<CaptureSwitch> capture_;  // For the open store.
  std::unique_ptr<Workspace> workspace_;
  std::optional<llm::PriceList> prices_;  // Once they are read.
  std::string prices_id_;
  int status_ = kExitOk;
};

}  // namespace spoor::cli
