#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "graph/repository.h"
#include "import/head.h"
#include "import/report.h"
#include "import/source.h"

namespace spoor::import {

class KnownLines;

/// The progress in one source.
struct Progress {
  std::string_view source;
  std::uint64_t bytes_done = 0;
  std::optional<std::uint64_t> bytes_total;
};

struct ImportOptions {
  /// Keep every record on refs/sources: also known duplicates, and turn records without `message`.
  /// Turns and their names do not change.
  bool keep_source = false;

  /// The times of turns for which the source tells none: of the model's, and of others behind its
  /// first answer. What is asked first has none, so that it stays itself when it is asked again.
  std::optional<Timestamp> answered = {};
  std::optional<Timestamp> asked = {};

  /// Called from time to time on the importing thread. May be empty.
  std::function<void(const Progress&)> progress;

  /// Set it to true, from any thread, to stop with Code::interrupted. The store keeps what was
  /// written before: a valid import of the front of the source.
  const std::atomic<bool>* cancel = nullptr;

  /// A cache of the lines in the store, shared by the sources of one run (known_turns.h). If null,
  /// each source reads them again.
  KnownLines* lines = nullptr;

  /// Adds all to this draft, which the caller writes, and writes nothing: several sources become
  /// one transaction. Each sees what is in it. After an error the caller drops it.
  graph::Draft* draft = nullptr;

  /// The full name of the ref of the notes, which then holds those of this import and nothing else:
  /// for a source that contains all records of an earlier one. All is then written at once, or
  /// nothing. Empty: a name after the session's, with a number if it is taken by other notes.
  std::string notes_ref = {};

  /// For a source that contains several sessions and changes in place: reads those in which
  /// something was written since.
  Timestamp since = {0};

  /// Such a source is still written: leaves out an answer that has not ended.
  bool is_growing = false;
};

/// The scale of Importer::score(). Values between these are allowed. No two importers have the same
/// score for one source; a test checks this over every sample.
namespace score {
constexpr int kNone = 0;      ///< not this format
constexpr int kAnything = 5;  ///< something can be read out of it
constexpr int kCommon = 20;   ///< members that many formats have: roles and contents
constexpr int kShape = 40;    ///< members that few formats have
constexpr int kOwn = 60;      ///< members that only this format has
constexpr int kSigned = 80;   ///< the records name the format, or the agent
}  // namespace score

class LiveImport;

/// An importer: reads the session files of one agent into a repository. importers.h lists one for
/// each foreign format.
///
/// The same records give the same commits, regardless of the source's name and of where, when and
/// by which user it is imported. So importing again writes nothing, and importing a longer copy
/// writes only what is new. The front of a source gives the front of its commits.
struct Importer {
  std::string_view name;   ///< one word, as refs and `source` in meta name it: `claude-code`
  std::string_view title;  ///< for people: `Claude Code`

  /// Returns a score for a source that begins with `head`: how surely it contains this agent's
  /// sessions, on the scale of `score`. An importer checks for its own records only and does not
  /// consider other importers. The importer with the highest score reads the source.
  int (*score)(const Head& head);

  /// Reads one source, for import(). `tool` is `name`.
  Result<LossReport> (*read)(std::string_view tool, Source& source, graph::Repository& repository,
                             const ImportOptions& options);

  /// Begins the import of a source of lines that is still being written; `head` are its first
  /// bytes. Null, or returns null: it can be read as a whole only.
  std::unique_ptr<LiveImport> (*open)(std::string_view tool, const std::string& name,
                                      std::string_view head,
                                      graph::Repository& repository) = nullptr;

  /// Imports one source. Unreadable records are reported in the LossReport and are not an error.
  /// Errors are those of the repository, Code::interrupted and Code::io.
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const {
    return read(name, source, repository, options);
  }
};

/// The number of bytes of a source in a Head.
constexpr std::size_t kHead = 256U << 10U;

/// Returns all importers. They live as long as the program.
const std::vector<const Importer*>& importers();

/// Returns the importers with the highest score for a source that begins with `head`: one, or none.
/// If no importer accepts the first record, the following ones are tried as the first.
std::vector<const Importer*> best_importers(std::string_view head);

/// The importer of a source, found by its head, which was already read.
struct Recognised {
  std::string head;
  const Importer* importer = nullptr;  ///< null: only white space
};

/// Finds the importer from the source's content. Returns Code::invalid, with the file's name, if no
/// importer accepts it; Code::io.
Result<Recognised> recognise(Source& source);

/// Returns the report of a source without content.
LossReport import_nothing(const Recognised& recognised);

/// Imports the rest of a recognised source. Returns Code::denied if its content does not fit into a
/// store.
Result<LossReport> import_recognised(const Recognised& recognised, Source& source,
                                     graph::Repository& repository, const ImportOptions& options);

/// Recognises a source and imports it.
Result<LossReport> import_source(Source& source, graph::Repository& repository,
                                 const ImportOptions& options);

}  // namespace spoor::import
