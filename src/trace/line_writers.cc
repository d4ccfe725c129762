#include "trace/line_writers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "trace/file_versions.h"

namespace spoor::trace {
namespace {

constexpr int kMostSources = 12;          // Versions that lines of one version are looked up in.
constexpr std::uint32_t kSomeWeight = 8;  // Lighter lines are not looked up.

}  // namespace

class LineWriters::Impl {
 public:
  void base(std::string_view text) { known(text); }

  void edit(Writer writer, std::size_t place, const FileChange& change) {
    is_edited_ = true;
    Place& at = places_[place];
    std::optional<std::size_t> base = base_of(at, change);
    if (change.is_deletion) {
      at.set_last(add({}), writer);
      at.pending.clear();
      at.missing.clear();
      return;
    }
    if (auto after = after_edit(writer, base, at, change)) {
      at.set_last(add(std::move(*after)), writer);
      if (change.after) at.missing.clear();
      return;
    }
    if (base) at.set_last(*base, std::nullopt);
    at.missing.insert(writer);
    if (FileVersion pieces = pieces_of(table_, change, writer); pieces.lines.size() > 1) {
      add(std::move(pieces));
    }
    // The lines of a patch are whole; those of a replacement may be parts of lines.
    if (!change.is_patch || change.diff.empty()) at.pending.insert(writer);
  }

  void unknown_edit(Writer writer, std::size_t place) {
    is_edited_ = true;
    places_[place].pending.insert(writer);
    places_[place].missing.insert(writer);
  }

  void commit(std::string_view text, const std::vector<std::string_view>& parents, bool is_here) {
    std::vector<std::size_t> earlier;
    earlier.reserve(parents.size());
    for (const std::string_view parent : parents) earlier.push_back(known(parent));
    const std::vector<std::size_t> local = sources_of(places_[0]);
    earlier.insert(is_here ? earlier.begin() : earlier.end(), local.begin(), local.end());
    observe(table_.lines_of(text), earlier, places_[0].pending);
  }

  void head(std::string_view text) {
    places_[0].head = known(text);
    places_[0].head_is_newer = true;
  }

  std::vector<Writers> of(std::string_view text) {
    Place& at = places_[0];
    const std::size_t found = observe(table_.lines_of(text), sources_of(at), at.pending);
    std::vector<Writers> all;
    for (const WritersId writers : versions_[found].writers) all.push_back(table_.writers(writers));
    return all;
  }

  std::optional<EditedVersion> edited() const {
    const auto at = places_.find(0);
    if (at == places_.end() || !at->second.last) return std::nullopt;
    const FileVersion& version = versions_[*at->second.last];
    EditedVersion found{.by = at->second.by, .missing = at->second.missing.size()};
    for (const LineId line : version.lines) found.lines.emplace_back(table_.text(line));
    for (const WritersId each : version.writers) found.writers.push_back(table_.writers(each));
    return found;
  }

 private:
  struct Place {
    std::optional<std::size_t> last;  // The newest version that is known of an edit.
    std::optional<std::size_t> head;  // The version that the last move of HEAD wrote.
    bool head_is_newer = false;
    std::optional<Writer> by;  // The edit that made `last`.
    std::set<Writer> pending;  // Edits since `last` whose lines are not known.
    std::set<Writer> missing;  // Those of unknown content since all of the file was known.

    void set_last(std::size_t version, std::optional<Writer> writer) {
      last = version;
      by = writer;
      head_is_newer = false;
    }
  };

  // Returns what the file in a place may have been, newest first.
  static std::vector<std::size_t> sources_of(const Place& place) {
    std::vector<std::size_t> sources;
    if (place.last) sources.push_back(*place.last);
    if (place.head) sources.push_back(*place.head);
    if (place.head_is_newer) std::ranges::reverse(sources);
    return sources;
  }

  // --- Versions ---------------------------------------------------------------

  std::size_t add(FileVersion version) {
    const std::size_t number = versions_.size();
    by_lines_[version.lines] = number;
    for (const LineId line : version.lines) {
      if (!is_findable(line)) continue;
      std::vector<std::size_t>& with = with_line_[line];
      if (with.empty() || with.back() != number) with.push_back(number);
    }
    versions_.push_back(std::move(version));
    return number;
  }

  // Returns a version that git has.
  std::size_t known(std::string_view text) {
    std::vector<LineId> lines = table_.lines_of(text);
    if (const auto found = by_lines_.find(lines); found != by_lines_.end()) return found->second;
    return observe(std::move(lines), sources_of(places_[0]), places_[0].pending);
  }

  // --- Edits ------------------------------------------------------------------

  // Returns the version that an edit changed, if it is known.
  std::optional<std::size_t> base_of(Place& at, const FileChange& change) {
    std::optional<std::vector<LineId>> lines;
    if (change.before) {
      lines = table_.lines_of(*change.before);
    } else if (change.after) {
      lines = lines_before(table_, table_.lines_of(*change.after), change);
    }
    if (!lines) return std::nullopt;
    const std::size_t base = observe(std::move(*lines), sources_of(at), at.pending);
    at.pending.clear();
    at.missing.clear();
    return base;
  }

  std::optional<FileVersion> after_edit(Writer writer, std::optional<std::size_t> base,
                                        const Place& at, const FileChange& change) {
    if (change.after) return after_write(writer, base, at, change);
    std::vector<std::size_t> bases = base ? std::vector{*base} : sources_of(at);
    if (bases.empty() && change.is_patch) bases.push_back(add({}));  // A patch may add a file.
    for (const std::size_t each : bases) {
      auto result = changed(table_, versions_[each], change, writer);
      if (result && change.was_altered) add_writer(*result, writer, kNoEdit);
      if (result) return result;
    }
    return std::nullopt;
  }

  void add_writer(FileVersion& version, Writer writer, Writer more) {
    const WritersId both = table_.joined(table_.set(writer), table_.set(more));
    for (WritersId& each : version.writers) {
      if (each == table_.set(writer)) each = both;
    }
  }

  // A file that is written as a whole. If the file before is not known, a person may have written
  // the lines that are new here, and the agent only kept them.
  FileVersion after_write(Writer writer, std::optional<std::size_t> base, const Place& at,
                          const FileChange& change) {
    WritersId added = table_.set(writer);
    std::vector<std::size_t> bases = base ? std::vector{*base} : sources_of(at);
    if ((!base && !bases.empty()) || change.was_altered) {
      added = table_.joined(added, table_.set(kNoEdit));
    }
    const std::vector<LineId> lines = table_.lines_of(*change.after);
    const FileVersion empty;
    const FileVersion& before = bases.empty() ? empty : versions_[bases.front()];
    const LineMatches matches = match_lines(before.lines, lines, table_.weights());
    FileVersion after{lines, {}};
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const std::size_t from = matches.from[j];
      after.writers.push_back(from != LineMatches::kNone
                                  ? before.writers[from]
                                  : writers_of_unmatched(table_, lines[j], before, matches, added));
    }
    return after;
  }

  // --- Versions of unknown origin -----------------------------------------------

  // Returns the version with these lines, which came out of the `earlier` ones by changes that are
  // not known, `pending` edits among them.
  std::size_t observe(std::vector<LineId> lines, const std::vector<std::size_t>& earlier,
                      const std::set<Writer>& pending) {
    for (const std::size_t each : earlier) {
      if (versions_[each].lines == lines) return each;
    }
    const auto same = by_lines_.find(lines);
    if (!is_edited_) {
      if (same != by_lines_.end()) return same->second;
      const std::size_t size = lines.size();
      return add({std::move(lines), std::vector<WritersId>(size, table_.set(kNoEdit))});
    }
    Observed seen{.lines = std::move(lines), .earlier = earlier};
    seen.writers.assign(seen.lines.size(), FileVersion::kNothing);
    seen.maybe = seen.writers;
    for (const std::size_t each : earlier) claim(seen, versions_[each]);
    if (same != by_lines_.end()) restore(seen, versions_[same->second]);
    look_up(seen);
    finish(seen, pending);
    return add({std::move(seen.lines), std::move(seen.writers)});
  }

  struct Observed {
    std::vector<LineId> lines;
    std::vector<std::size_t> earlier;
    std::vector<WritersId> writers = {};  // kNothing: not known yet.
    std::vector<WritersId> maybe = {};    // Of equal lines in earlier versions that do not match.
    const FileVersion* returned_to = nullptr;  // An older version that is the same.
  };

  bool is_open(const Observed& seen, std::size_t j) const {
    return seen.writers[j] == FileVersion::kNothing;
  }
  bool is_findable(LineId line) const { return table_.weights()[line] >= kSomeWeight; }

  // Takes the lines that match, and notes the writers of equal lines that do not.
  void claim(Observed& seen, const FileVersion& from) {
    const LineMatches matches = match_lines(from.lines, seen.lines, table_.weights());
    for (std::size_t j = 0; j < seen.lines.size(); ++j) {
      if (!is_open(seen, j)) continue;
      const std::size_t at = matches.from[j];
      if (at != LineMatches::kNone) {
        seen.writers[j] = table_.joined(from.writers[at], seen.maybe[j]);
      } else {
        seen.maybe[j] = writers_of_unmatched(table_, seen.lines[j], from, matches, seen.maybe[j]);
      }
    }
  }

  // The file is as it was before: by git, which brings the lines back, unless the rest is so little
  // that someone may have typed it again.
  void restore(Observed& seen, const FileVersion& same) {
    std::uint32_t weight = 0;
    for (std::size_t j = 0; j < seen.lines.size(); ++j) {
      if (is_open(seen, j)) weight += table_.weights()[seen.lines[j]];
    }
    seen.returned_to = &same;
    if (weight < kLeastWeight) return;
    for (std::size_t j = 0; j < seen.lines.size(); ++j) {
      if (is_open(seen, j)) seen.writers[j] = same.writers[j];
    }
  }

  // Finds lines that git brought from other versions: those of other branches, or those before a
  // rebase.
  void look_up(Observed& seen) {
    std::set<std::size_t> done(seen.earlier.begin(), seen.earlier.end());
    for (int i = 0; i < kMostSources; ++i) {
      std::map<std::size_t, std::size_t> hits;
      for (std::size_t j = 0; j < seen.lines.size(); ++j) {
        if (!is_open(seen, j)) continue;
        const auto found = with_line_.find(seen.lines[j]);
        if (found == with_line_.end()) continue;
        for (const std::size_t version : found->second) {
          if (!done.contains(version)) ++hits[version];
        }
      }
      if (hits.empty()) return;
      const auto best = std::ranges::max_element(hits, [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
      });
      done.insert(best->first);
      const FileVersion& source = versions_[best->first];
      const LineMatches matches = match_lines(source.lines, seen.lines, table_.weights());
      for (std::size_t j = 0; j < seen.lines.size(); ++j) {
        const std::size_t from = matches.from[j];
        if (from == LineMatches::kNone || !is_open(seen, j)) continue;
        if (source.writers[from] == FileVersion::kNothing) continue;  // The context of a patch.
        if (!has_company(source, from, seen, j)) continue;
        seen.writers[j] = table_.joined(source.writers[from], seen.maybe[j]);
      }
    }
  }

  // Returns true if a line next to this one is the same in both: anyone may write one line again.
  static bool has_company(const FileVersion& source, std::size_t i, const Observed& seen,
                          std::size_t j) {
    const bool before = i > 0 && j > 0 && source.lines[i - 1] == seen.lines[j - 1];
    const bool behind = i + 1 < source.lines.size() && j + 1 < seen.lines.size() &&
                        source.lines[i + 1] == seen.lines[j + 1];
    return before || behind;
  }

  // The other lines were added by someone, or are among the lines that were not matched.
  void finish(Observed& seen, const std::set<Writer>& pending) {
    WritersId added = table_.set(kNoEdit);
    for (const Writer each : pending) added = table_.joined(added, table_.set(each));
    std::vector<std::size_t> open;
    for (std::size_t j = 0; j < seen.lines.size(); ++j) {
      if (is_open(seen, j)) open.push_back(j);
    }
    std::vector<WritersId> found;
    found.reserve(open.size());
    for (const std::size_t j : open) found.push_back(possible(seen, j, added));
    for (std::size_t i = 0; i < open.size(); ++i) seen.writers[open[i]] = found[i];
  }

  WritersId possible(const Observed& seen, std::size_t j, WritersId writers) {
    const LineId line = seen.lines[j];
    writers = table_.joined(writers, seen.maybe[j]);
    if (seen.returned_to != nullptr) writers = table_.joined(writers, seen.returned_to->writers[j]);
    if (is_findable(line)) {
      for (const std::size_t version : with_line_[line]) {
        writers = join_equal(versions_[version], line, writers);
      }
      return writers;
    }
    // A short line comes from elsewhere only together with the nearest longer line.
    for (const std::ptrdiff_t step : {-1, 1}) {
      std::ptrdiff_t shift = step;
      const auto at = [&] { return j + static_cast<std::size_t>(shift); };
      while (at() < seen.lines.size() && !is_findable(seen.lines[at()])) shift += step;
      if (at() >= seen.lines.size()) continue;
      const LineId longer = seen.lines[at()];
      const auto found = with_line_.find(longer);
      if (found == with_line_.end()) continue;
      for (const std::size_t version : found->second) {
        writers = join_near(versions_[version], line, longer, -shift, writers);
      }
    }
    return writers;
  }

  WritersId join_equal(const FileVersion& version, LineId line, WritersId writers) {
    for (std::size_t i = 0; i < version.lines.size(); ++i) {
      if (version.lines[i] == line) writers = table_.joined(writers, version.writers[i]);
    }
    return writers;
  }

  // Joins the writers of each `line` that is `shift` lines after the line `longer`.
  WritersId join_near(const FileVersion& version, LineId line, LineId longer, std::ptrdiff_t shift,
                      WritersId writers) {
    for (std::size_t i = 0; i < version.lines.size(); ++i) {
      const std::size_t at = i + static_cast<std::size_t>(shift);
      if (version.lines[i] != longer || at >= version.lines.size()) continue;
      if (version.lines[at] == line) writers = table_.joined(writers, version.writers[at]);
    }
    return writers;
  }

  LineTable table_;
  std::deque<FileVersion> versions_;
  std::map<std::vector<LineId>, std::size_t> by_lines_;  // The newest version with these lines.
  std::unordered_map<LineId, std::vector<std::size_t>> with_line_;  // Lines that can be looked up.
  std::map<std::size_t, Place> places_;
  bool is_edited_ = false;
};

LineWriters::LineWriters() : impl_(std::make_unique<Impl>()) {}
LineWriters::~LineWriters() = default;
LineWriters::LineWriters(LineWriters&&) noexcept = default;

void LineWriters::base(std::string_view text) { impl_->base(text); }

void LineWriters::edit(Writer writer, std::size_t place, const FileChange& change) {
  impl_->edit(writer, place, change);
}

void LineWriters::unknown_edit(Writer writer, std::size_t place) {
  impl_->unknown_edit(writer, place);
}

void LineWriters::commit(std::string_view text, const std::vector<std::string_view>& parents,
                         bool is_here) {
  impl_->commit(text, parents, is_here);
}

void LineWriters::head(std::string_view text) { impl_->head(text); }

std::vector<Writers> LineWriters::of(std::string_view text) { return impl_->of(text); }

std::optional<EditedVersion> LineWriters::edited() const { return impl_->edited(); }

}  // namespace spoor::trace
