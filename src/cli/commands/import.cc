#include "import/importer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/begin_head.h"
#include "cli/common_options.h"
#include "cli/export/kept_files.h"
#include "cli/recording/recording.h"
#include "cli/session.h"
#include "cli/settings/capture.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/transfer/archive_import.h"
#include "cli/views/import_report.h"
#include "cli/views/times.h"
#include "import/again.h"
#include "import/agent_folders.h"
#include "import/known_turns.h"
#include "import/rules.h"
#include "import/source.h"
#include "proxy/raw_bodies.h"

namespace spoor::cli {

using api::Head;

namespace {

namespace import = import;

constexpr std::array kOptions = {
    Option{"path", "PATH",
           "a session file, a folder of them, or an archive; - is standard input (default: the\n"
           "folders of all known agents)",
           0, Takes::path, Count::many},
    Option{"--verbose", "", "count records by kind, and list each branch", 'v'},
    Option{"--keep-source", "", "keep every record verbatim, and the file's bytes"},
    Option{"--again", "", "update what an earlier spoor imported"},
    kCapture,
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor import", "every session of every agent on this machine, into your own store"},
    Example{"spoor import ~/.claude/projects", "the sessions of Claude Code, into this store"},
    Example{"spoor import session.jsonl", "one session; again later, it adds what is new"},
    Example{"spoor import --again ~/.codex/sessions",
            "read them again with this spoor; your pins, edits and turns are kept"},
};

// Standard input as a source that is read once.
class InputSource final : public import::Source {
 public:
  explicit InputSource(Session& session) : session_(session) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Result<std::size_t> read(char* to, std::size_t room) override {
    return session_.read_input(std::span(to, room));
  }

 private:
  Session& session_;
  std::string name_ = "(standard input)";
};

struct Import {
  import::LossReport report;
  std::vector<Error> failures;  // Paths and sources that could not be read.
  std::vector<ArchiveImport> archives;
  std::optional<import::Updated> again;
  std::optional<proxy::RawBodies> bodies;
  std::optional<Error> stopped;  // By the user, before the last file.
};

Error closed_folder(const std::string& path) {
  return io_error(fmt::format("cannot read the folder '{}'", path), "check its permissions");
}

// Returns the sessions of all agents of this user and prints them. They are imported into the
// user's own store.
Result<std::vector<std::string>> find_all(Session& session, const Arguments& arguments,
                                          std::vector<Error>& failures) {
  const Environment& environment = session.environment();
  const std::string home = environment.variable("HOME").value_or("");
  const auto found = import::find_agent_folders(
      home, [&](const char* name) { return environment.variable(name); });
  if (found.empty()) {
    std::string agents;
    const auto variable = [&](const char* name) { return environment.variable(name); };
    for (const import::KnownAgent& agent : import::known_agents()) {
      if (agent.folders.empty()) continue;
      agents += (agents.empty() ? "" : ", ") + std::string(agent.title);
      const char* name = agent.folders.front().variable;
      const auto moved = name[0] != '\0' ? variable(name) : std::nullopt;
      if (moved && !moved->empty()) agents += fmt::format(" in {}={}", name, visible_line(*moved));
    }
    return not_found("no sessions of agents in your home folder",
                     fmt::format("searched for {}; name a file or folder with 'spoor import "
                                 "PATH'",
                                 agents));
  }
  session.use_own_store();
  std::vector<std::string> files;
  for (const import::FoundFolder& folder : found) {
    files.insert(files.end(), folder.files.begin(), folder.files.end());
    for (const std::string& closed : folder.unreadable) failures.push_back(closed_folder(closed));
    if (arguments.has("--json") || folder.files.empty()) continue;
    std::string path = folder.path;
    if (!home.empty() && path.starts_with(home + "/")) path = "~" + path.substr(home.size());
    session.out().print("found ").print(Style::strong, padded(folder.agent, 20));
    session.out().print(fmt::format(" {:>7}  ", counted(folder.files.size(), "file")) + path);
    session.out().newline();
  }
  session.out().flush();
  return files;
}

// Returns the files that the paths name; paths without a file are added to `failures`.
Result<std::vector<std::string>> find_files(const std::vector<std::string>& paths,
                                            std::vector<Error>& failures) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path == "-") {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> unreadable;
    auto found = import::session_files(path, &unreadable);
    for (const std::string& closed : unreadable) failures.push_back(closed_folder(closed));
    if (found) {
      files.insert(files.end(), found.value().begin(), found.value().end());
    } else if (found.error().code == Error::Code::not_found) {
      failures.push_back(found.error());
    } else {
      return found.error();
    }
  }
  return files;
}

class Importing {
 public:
  // `named`: the paths on the command line.
  Importing(Session& session, std::vector<std::string> named, const Arguments& arguments)
      : session_(session),
        named_(std::move(named)),
        capture_(arguments.text("--capture", "")),
        progress_(session.terminal(), "importing") {
    options_.keep_source = arguments.has("--keep-source");
    options_.cancel = &interrupt_flag();
    options_.lines = &lines_;
    options_.progress = [this](const import::Progress& at) { show(at); };
  }

  Result<void> run(const std::vector<std::string>& files, Import& made) {
    files_ = files.size();
    std::vector<std::string> bodies;  // Of requests in sessions, which are imported first.
    for (const std::string& file : files) {
      if (file != "-" && fresh_ == nullptr && proxy::is_raw_body(file)) {
        bodies.push_back(file);
        continue;
      }
      if (file != "-" && is_archive(file)) {
        if (fresh_ != nullptr) {
          made.failures.push_back(
              invalid(fmt::format("'{}' is an archive, which cannot be read again", file),
                      "import it without --again"));
          continue;
        }
        TRY(take_archive(file, made));
        continue;
      }
      auto source = open(file);
      if (!source) {
        made.failures.push_back(source.error());
        continue;
      }
      auto recognised = import::recognise(*source.value());
      auto report = recognised ? take(recognised.value(), *source.value()) : recognised.error();
      ++done_;
      if (report) {
        const std::string before = made.report.main_ref;
        made.report.add(report.value());
        made.report.main_ref = TRY(newer(before, report.value().main_ref));
        if (options_.keep_source && fresh_ == nullptr) TRY(keep(file, report.value()));
      } else if (!recognised && recognised.error().code == Error::Code::invalid &&
                 !is_named(file) && !file.ends_with(".jsonl")) {
        made.report.pass_over(file);  // A folder may contain other documents.
      } else if (!recognised || report.error().code == Error::Code::denied) {
        made.failures.push_back(report.error());  // Continue with the other files.
      } else if (report.error().code == Error::Code::interrupted) {
        made.stopped = report.error();
        return {};
      } else {
        return report.error();
      }
    }
    if (!bodies.empty()) made.bodies = TRY(take_bodies(bodies));
    return {};
  }

  // Like run(), but into an empty repository, which then updates the store.
  Result<void> run_again(const std::vector<std::string>& files, Import& made) {
    Workspace& workspace = *TRY(session_.workspace());  // A store must exist.
    TRY(store());
    const Head head = TRY(workspace.head());
    made.again = TRY(import::import_again(
        workspace.repository(),
        [&](graph::Repository& fresh) -> Result<void> {
          fresh_ = &fresh;
          const auto done = run(files, made);
          fresh_ = nullptr;
          TRY(done);
          return made.stopped ? Result<void>(*made.stopped) : Result<void>();
        },
        head.is_detached() ? std::string() : store::branch_ref(head.branch)));
    return {};
  }

  // Returns null if no file contained a session or an archive.
  Workspace* workspace() const { return workspace_; }

 private:
  // Opens the store, or creates one, for the first file that needs it.
  Result<Workspace*> store() {
    if (workspace_ != nullptr) return workspace_;
    Workspace* opened = TRY(session_.workspace_or_new());
    if (!capture_.empty()) TRY(session_.capture_at_most(TRY(api::read_capture(capture_))));
    TRY(session_.forget_originals());  // These texts are sent to no model.
    workspace_ = opened;
    return opened;
  }

  Result<import::LossReport> take(const import::Recognised& recognised, import::Source& source) {
    if (recognised.importer == nullptr) return import::import_nothing(recognised);
    graph::Repository& into = fresh_ != nullptr ? *fresh_ : TRY(store())->repository();
    return import::import_recognised(recognised, source, into, options_);
  }

  // Keeps the bytes of a file, which `export --source` writes again: not in a store that redacts or
  // hashes texts, and not those of a database, which has many sessions, or of a very large file.
  Result<void> keep(const std::string& file, const import::LossReport& report) {
    constexpr std::string_view kHeads = "refs/heads/";
    if (file == "-" || report.turn_records == 0 || !report.main_ref.starts_with(kHeads)) return {};
    if (TRY(session_.capture()) != compile::Capture::full) return {};
    const auto bytes = read_file(file, kMostOfKeptFile);
    const bool is_too_long = !bytes && bytes.error().code == Error::Code::denied;
    if (is_too_long || (bytes && !bytes.value())) return {};
    if (!bytes) return bytes.error();
    if (bytes.value()->starts_with("SQLite format 3")) return {};
    return keep_file(workspace_->repository(), report.main_ref.substr(kHeads.size()),
                     *bytes.value());
  }

  /// Returns the branch that was written last; `other` if both are equal, or if no time is known.
  Result<std::string> newer(const std::string& one, const std::string& other) const {
    if (one.empty() || other.empty()) return one.empty() ? other : one;
    const auto time_of = [this](const std::string& name) -> Result<std::optional<std::int64_t>> {
      const auto tip = TRY(workspace_->store().ref(name));
      if (!tip) return std::optional<std::int64_t>();
      const auto commit = TRY(workspace_->reader().commit(*tip));
      return commit->time ? std::optional(commit->time->micros) : std::nullopt;
    };
    const auto time_of_one = TRY(time_of(one));
    const auto time_of_other = TRY(time_of(other));
    return time_of_one && (!time_of_other || *time_of_other < *time_of_one) ? one : other;
  }

  bool is_named(const std::string& file) const {
    return std::find(named_.begin(), named_.end(), file) != named_.end();
  }

  Result<std::unique_ptr<import::Source>> open(const std::string& file) {
    if (file != "-") return import::open_file(file);
    return std::unique_ptr<import::Source>(std::make_unique<InputSource>(session_));
  }

  Result<proxy::RawBodies> take_bodies(const std::vector<std::string>& files) {
    graph::Repository& repository = TRY(store())->repository();
    import::AgentSessions sessions = agent_sessions(session_, repository);
    const auto import = [&](const import::KnownAgent& agent, Timestamp since) {
      return sessions.import(agent, since);
    };
    auto bodies = TRY(proxy::record_raw_bodies(repository, import, files));
    TRY(sessions.finish());
    return bodies;
  }

  Result<void> take_archive(const std::string& file, Import& made) {
    auto archive = import_into(file);
    if (archive) {
      made.archives.push_back(std::move(archive).value());
    } else if (archive.error().code == Error::Code::corrupt) {
      made.failures.push_back(archive.error());
    } else {
      return archive.error();
    }
    return {};
  }

  Result<ArchiveImport> import_into(const std::string& file) {
    Workspace& workspace = *TRY(store());
    if (TRY(session_.capture()) != compile::Capture::full) {
      return denied(
          fmt::format("'{}' is an archive: its objects are imported unchanged, with their secrets",
                      file),
          "import it into a store whose capture mode is full");
    }
    return import_archive(workspace, file);
  }

  // Shows bytes for a single file, else files.
  void show(const import::Progress& at) {
    if (files_ == 1) return progress_.update(at.bytes_done, at.bytes_total.value_or(0), at.source);
    progress_.update(done_, files_, fmt::format("{}/{} {}", done_ + 1, files_, at.source));
  }

  Session& session_;
  Workspace* workspace_ = nullptr;
  graph::Repository* fresh_ = nullptr;  // The target of --again.
  std::vector<std::string> named_;
  std::string capture_;
  Progress progress_;
  import::KnownLines lines_;
  import::ImportOptions options_;
  std::uint64_t files_ = 0;
  std::uint64_t done_ = 0;
};

Result<std::vector<std::string>> older_lines(const Workspace& workspace,
                                             const import::LossReport& report) {
  std::vector<std::string> branches;
  for (const import::ImportedRef& ref : report.refs) {
    if (ref.name.starts_with("refs/heads/")) branches.push_back(ref.name);
  }
  if (branches.empty()) return branches;
  return import::lines_of_older_rules(workspace.repository(), branches);
}

// Returns the branch that HEAD may move to.
std::string main_ref(const Import& made) {
  for (const ArchiveImport& archive : made.archives) {
    for (const store::PlacedRef& ref : archive.refs) {
      if (ref.as.starts_with("refs/heads/")) return ref.as;
    }
  }
  return made.report.main_ref;
}

void print_bodies(Output& out, const proxy::RawBodies& bodies) {
  out.print(fmt::format("requests: {} new, {} known\n", bodies.requests, bodies.known));
}

void take_unplaced(const proxy::RawBodies& bodies, std::vector<Error>& failures) {
  for (const std::string& path : bodies.unplaced) {
    failures.push_back(not_found(fmt::format("the session of '{}' is not in the store", path),
                                 "import the session first: 'spoor import SESSION.jsonl'"));
  }
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Cancellable cancellable;
  Import made;
  const std::vector<std::string> files = arguments.has("path")
                                             ? TRY(find_files(arguments.all("path"), made.failures))
                                             : TRY(find_all(session, arguments, made.failures));
  std::string branch;
  std::vector<std::string> older;  // Lines read by older rules, which have since grown.
  if (!files.empty()) {
    Importing importing(session, arguments.all("path"), arguments);
    TRY(arguments.has("--again") ? importing.run_again(files, made) : importing.run(files, made));
    Workspace* const workspace = importing.workspace();
    if (workspace != nullptr) older = TRY(older_lines(*workspace, made.report));
    if (workspace != nullptr) branch = TRY(begin_head(*workspace, main_ref(made)));
    if (!arguments.has("--json")) {
      for (const ArchiveImport& each : made.archives) print_archive_import(session, each);
    }
    const bool any = made.report.sources > 0 || made.report.passed_over > 0;
    if (any && !arguments.has("--json")) {
      print_import(session, workspace, made.report,
                   {branch, made.again, arguments.has("--verbose")});
    }
    if (made.bodies) take_unplaced(*made.bodies, made.failures);
    if (made.bodies && !arguments.has("--json")) print_bodies(session.out(), *made.bodies);
  }
  const bool has_read = made.report.turn_records > 0 || !made.archives.empty() || made.bodies;
  if (!has_read && made.failures.empty() && !made.stopped) {
    made.failures.push_back(not_found("no session found: nothing was imported",
                                      "see 'spoor help import' for the supported agents"));
  }
  if (!made.report.is_clean() || !made.failures.empty()) session.exit_with(kExitFailed);
  if (arguments.has("--json")) {
    if (made.stopped) made.failures.push_back(*made.stopped);
    print_import_json(session.out(), made.report, made.archives, made.failures, branch, older,
                      made.again, made.bodies);
    if (made.stopped) session.exit_with(exit_status(made.stopped->code));
    return {};
  }
  session.out().flush();
  print_remarks(session.err(), made.report);
  print_older_rules(session.err(), older);
  for (std::size_t i = 0; i < made.failures.size(); ++i) {
    Error failure = made.failures[i];
    const bool is_told_again =
        i + 1 < made.failures.size() && made.failures[i + 1].hint == failure.hint;
    if (is_told_again) failure.hint.clear();
    session.report(failure);
  }
  return made.stopped ? Result<void>(*made.stopped) : Result<void>();
}

}  // namespace

extern const Command kImport{
    .name = "import",
    .summary = "Import sessions of agents, or an archive",
    .options = kOptions,
    .run = run,
    .group = Group::start,
    .details =
        "Without a PATH, finds the sessions of all agents in your home folder, lists them\n"
        "and imports them into your own store. Run it again to add what is new.\n"
        "\n"
        "Reads the sessions of Claude Code, Codex, Gemini CLI, OpenCode, Pi, GitHub Copilot\n"
        "CLI, Qwen Code, Droid, Cursor, Kimi Code, Grok CLI, Antigravity, Hermes Agent,\n"
        "Aider, SWE-agent, mini-SWE-agent, OpenHands and Inspect (.eval too), conversations\n"
        "of the chat, Responses and Messages APIs, ShareGPT, ATIF, Agent Data Protocol,\n"
        "tau-bench, traces of OpenTelemetry, and any JSON with roles and contents; the\n"
        "format of a file is detected from its content (docs/importing.md). The same\n"
        "records give the same commits on every machine, so importing again adds nothing,\n"
        "and importing a session that has grown adds the new turns. Reasoning is kept with\n"
        "its signature, calls and results byte for byte; records that are not turns are\n"
        "kept as notes on refs/sources. A report at the end accounts for every record. The\n"
        "exit status is 1 if something could not be read, or if nothing was; the rest is\n"
        "imported anyway.\n"
        "\n"
        "Bodies that Claude Code writes with OTEL_LOG_RAW_API_BODIES=file:DIR are kept\n"
        "beside the turns of their sessions, as the agent's own copies of its requests.\n"
        "\n"
        "A file of 'spoor store archive' is verified completely before any ref is created;\n"
        "a branch that exists here at another commit is not moved, and the archive's is\n"
        "named NAME-imported.\n"
        "\n"
        "A newer spoor may read a session differently. Sessions that an earlier one\n"
        "imported do not change; import and fsck list them. --again reads their files\n"
        "again: one operation moves each branch to the turns as they are read now, and\n"
        "copies your pins, edits, judgements and turns after them. Name all files that a\n"
        "session was read from.\n"
        "\n"
        "Creates a store if there is none. HEAD only moves if it had no commit.",
    .examples = kExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
