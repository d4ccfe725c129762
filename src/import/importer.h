#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "import/head.h"
#include "import/report.h"
#include "import/source.h"

namespace spoor::import {

class KnownLines;

/// How far one source has got.
struct Progress {
  std::string_view source;
  std::uint64_t bytes_done = 0;
  std::optional<std::uint64_t> bytes_total;
};

struct ImportOptions {
  /// Keep every record on refs/sources: known duplicates, and turn records too,
  /// with `message` cut out. Turns and their names are the same either way.
  bool keep_source = false;

  /// Called now and then, on the importing thread. May be empty.
  std::function<void(const Progress&)> progress;

  /// Set it to true, from any thread, to stop: Code::interrupted. What was
  /// written until then stays, and is a sound import of the front of the source.
  const std::atomic<bool>* cancel = nullptr;

  /// What is known of the lines in the store, kept over the sources of one run
  /// (known_turns.h). May be null: then it is found out for each source anew.
  KnownLines* lines = nullptr;
};

/// What Importer::score() says. Steps between these are allowed; no two importers have the same
/// score for one source, which a test checks over every sample.
namespace score {
constexpr int kNone = 0;      ///< not this format
constexpr int kAnything = 5;  ///< something can be read out of it
constexpr int kCommon = 20;   ///< members that many formats have: roles and contents
constexpr int kShape = 40;    ///< members that few formats have
constexpr int kOwn = 60;      ///< members that only this format has
constexpr int kSigned = 80;   ///< the records name the format, or the agent
}  // namespace score

/// Reads the session files of one agent into a repository: a row for each foreign format, in
/// importers.h.
///
/// The same records give the same commits, whatever the source is called,
/// wherever, whenever and by whomever it is imported: so importing again writes
/// nothing, and importing a longer copy writes what is new. The front of a source
/// gives the front of its commits.
struct Importer {
  std::string_view name;   ///< one word, as refs and `source` in meta name it: `claude-code`
  std::string_view title;  ///< for people: `Claude Code`

  /// How surely a source that begins with `head` holds this agent's sessions, on the scale of
  /// `score`. An importer judges by what its own records are, and knows no other importer; the
  /// highest score reads the source.
  int (*score)(const Head& head);

  /// Reads one source, for import(). `tool` is `name`.
  Result<LossReport> (*read)(std::string_view tool, Source& source, graph::Repository& repository,
                             const ImportOptions& options);

  /// Imports one source. What cannot be read is in the report, not an error; the
  /// errors are the repository's, Code::interrupted and Code::io.
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const {
    return read(name, source, repository, options);
  }
};

/// How much of a source a Head is made of.
constexpr std::size_t kHead = 256U << 10U;

/// Every importer there is. Lives as long as the program.
const std::vector<const Importer*>& importers();

/// The importers with the highest score for a source that begins with `head`: one, or none. If no
/// importer knows the first record, the ones after it are tried as the first.
std::vector<const Importer*> best_importers(std::string_view head);

/// What a source is, by its head, which was read.
struct Recognised {
  std::string head;
  const Importer* importer = nullptr;  ///< null: nothing but white space
};

/// Finds the importer by what the source holds. Code::invalid when nobody recognises it: the wrong
/// file, named in the message; Code::io.
Result<Recognised> recognise(Source& source);

/// What becomes of a source in which nothing is.
LossReport import_nothing(const Recognised& recognised);

/// Imports the rest of a source that was recognised. Code::denied when what it says does not fit
/// into a store.
Result<LossReport> import_recognised(const Recognised& recognised, Source& source,
                                     graph::Repository& repository, const ImportOptions& options);

/// Both.
Result<LossReport> import_source(Source& source, graph::Repository& repository,
                                 const ImportOptions& options);

}  // namespace spoor::import
