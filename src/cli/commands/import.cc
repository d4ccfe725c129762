#include "llm/import/importer.h"

#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/import_report.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "llm/import/files.h"

namespace spoor::cli {
namespace {

namespace import = llm::import;

constexpr std::array kOptions = {
    Option{"path", "PATH", "a session file, or a folder of them; - reads standard input", 0,
           Takes::path, Count::some},
    Option{"--keep-source", "", "keep every record verbatim, known duplicates too"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor import ~/.claude/projects", "every session of Claude Code on this machine"},
    Example{"spoor import session.jsonl", "one session; again later, it adds what is new"},
};

// Standard input as a source that is read once.
class InputSource final : public import::Source {
 public:
  explicit InputSource(Terminal& terminal) : terminal_(terminal) {}

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Result<std::size_t> read(char* to, std::size_t room) override {
    return terminal_.read(std::span(to, room));
  }

 private:
  Terminal& terminal_;
  std::string name_ = "(standard input)";
};

struct Import {
  import::LossReport report;
  std::vector<Error> failures;  // Sources that nobody could read.
};

class Importing {
 public:
  Importing(Session& session, Workspace& workspace, bool keep_source)
      : session_(session), workspace_(workspace), progress_(session.terminal(), "importing") {
    options_.keep_source = keep_source;
    options_.cancel = &interrupt_flag();
    options_.progress = [this](const import::Progress& at) {
      const std::uint64_t total = files_.size() > 1 ? 0 : at.bytes_total.value_or(0);
      if (total > 0) return progress_.update(at.bytes_done, total, at.source);
      progress_.update(done_, files_.size(),
                       fmt::format("{}/{} {}", done_ + 1, files_.size(), at.source));
    };
  }

  Result<Import> run(const std::vector<std::string>& paths) {
    Import made;
    for (const std::string& path : paths) TRY(find_files(path, made));
    for (const std::string& file : files_) {
      std::unique_ptr<import::Source> source;
      if (file == "-") {
        source = std::make_unique<InputSource>(session_.terminal());
      } else {
        auto opened = import::open_file(file);
        if (!opened) {
          made.failures.push_back(opened.error());
          continue;
        }
        source = std::move(opened).value();
      }
      auto report = import::import_source(*source, workspace_.repository(), options_);
      ++done_;
      if (report) {
        made.report.add(report.value());
      } else if (report.error().code == Error::Code::invalid) {
        made.failures.push_back(report.error());  // A wrong file; the others may be right.
      } else {
        return report.error();
      }
    }
    return made;
  }

 private:
  Result<void> find_files(const std::string& path, Import& made) {
    if (path == "-") {
      files_.push_back(path);
      return {};
    }
    auto found = import::session_files(path);
    if (found) {
      files_.insert(files_.end(), found.value().begin(), found.value().end());
    } else if (found.error().code == Error::Code::not_found) {
      made.failures.push_back(found.error());
    } else {
      return found.error();
    }
    return {};
  }

  Session& session_;
  Workspace& workspace_;
  Progress progress_;
  import::ImportOptions options_;
  std::vector<std::string> files_;
  std::uint64_t done_ = 0;
};

// HEAD moves only when it named no commit: then to what was imported.
Result<std::string> move_head(Workspace& workspace, const std::string& main_ref) {
  constexpr std::string_view kHeads = "refs/heads/";
  if (TRY(workspace.head_commit()) || !main_ref.starts_with(kHeads)) return std::string();
  const std::string branch = main_ref.substr(kHeads.size());
  TRY(workspace.set_head({branch, std::nullopt}));
  return branch;
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace_or_new());
  const Cancellable cancellable;
  Importing importing(session, workspace, arguments.has("--keep-source"));
  const Import made = TRY(importing.run(arguments.all("path")));
  const std::string branch = TRY(move_head(workspace, made.report.main_ref));

  if (!made.report.is_clean() || !made.failures.empty()) session.exit_with(kExitFailed);
  if (arguments.has("--json")) {
    print_import_json(session.out(), made.report, made.failures, branch);
  } else {
    if (made.report.sources > 0) print_import(session, workspace, made.report, branch);
    print_remarks(session.err(), made.report);
    for (const Error& failure : made.failures) session.report(failure);
  }
  return {};
}

}  // namespace

extern const Command kImport{
    .name = "import",
    .summary = "Read the sessions of an agent into the store",
    .options = kOptions,
    .run = run,
    .group = Group::start,
    .details =
        "Reads the session files of Claude Code. The same records give the same commits on every\n"
        "machine and every day, so importing again adds nothing, and importing a session that has\n"
        "grown adds the new turns. Reasoning is kept with its signature, calls and results as "
        "they\n"
        "came, byte for byte; records that are no turns are kept as notes on refs/sources. A "
        "report\n"
        "at the end accounts for every record. The exit status is 1 when something could not be\n"
        "read; all the rest is imported all the same.\n\n"
        "Makes a store where there is none. HEAD moves only when it named no commit.",
    .examples = kExamples,
};

}  // namespace spoor::cli
