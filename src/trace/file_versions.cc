#include "trace/file_versions.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace spoor::trace {
namespace {

// --- Replacements ------------------------------------------------------------

std::string without_returns(std::string text) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!ends_line) text[to++] = text[i];
  }
  text.resize(to);
  return text;
}

// A version as one text, for replacements that begin and end within lines.
class VersionText {
 public:
  VersionText(const LineTable& table, const FileVersion& version) {
    for (const LineId line : version.lines) {
      starts_.push_back(text_.size());
      text_.append(table.text(line)).push_back('\n');
    }
    starts_.push_back(text_.size());
  }

  // Returns the places where `piece` occurs, none overlapping another.
  std::vector<std::size_t> places_of(std::string_view piece) const {
    std::vector<std::size_t> places;
    for (std::size_t at = text_.find(piece); at != std::string::npos;
         at = text_.find(piece, at + piece.size())) {
      places.push_back(at);
    }
    return places;
  }

  struct Stretch {
    std::size_t first, last;  // The lines [first, last) become
    std::string text;         // these.
  };

  // Returns the whole lines that change if `length` bytes at `at` become `piece`.
  Stretch replaced(std::size_t at, std::size_t length, std::string_view piece) const {
    const std::size_t first = line_at(at);
    const std::size_t end = at + length;
    std::string text = text_.substr(starts_[first], at - starts_[first]);
    text += piece;
    std::size_t last = line_at(end);
    const bool is_whole = end == starts_[last] && (text.empty() || text.ends_with('\n'));
    if (!is_whole && last < starts_.size() - 1) {
      text += text_.substr(end, starts_[last + 1] - end);
      ++last;
    }
    // The last line end of a piece may as well be the empty line after it.
    while (piece.ends_with('\n') && last + 1 < starts_.size() && text_[starts_[last]] == '\n') {
      text += '\n';
      ++last;
    }
    return {first, last, std::move(text)};
  }

 private:
  std::size_t line_at(std::size_t place) const {
    const auto behind = std::ranges::upper_bound(starts_, place);
    return static_cast<std::size_t>(behind - starts_.begin()) - 1;
  }

  std::string text_;
  std::vector<std::size_t> starts_;
};

template <class T>
void splice(std::vector<T>& list, std::size_t first, std::size_t last, const std::vector<T>& by) {
  const auto at = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  list.erase(at(first), at(last));
  list.insert(at(first), by.begin(), by.end());
}

// Returns the writers of lines that are the old ones with others added in one place; empty if they
// are not. If there are several such places, a line may be an old one or an added one.
std::vector<WritersId> writers_of_insertion(LineTable& table, const FileVersion& old,
                                            const std::vector<LineId>& lines, WritersId added) {
  const std::size_t size = old.lines.size();
  if (lines.size() <= size) return {};
  const std::size_t more = lines.size() - size;
  std::size_t latest = 0;
  while (latest < size && old.lines[latest] == lines[latest]) ++latest;
  std::size_t earliest = size;
  while (earliest > 0 && old.lines[earliest - 1] == lines[earliest - 1 + more]) --earliest;
  if (earliest > latest) return {};
  std::vector<WritersId> writers;
  for (std::size_t j = 0; j < lines.size(); ++j) {
    WritersId found = FileVersion::kNothing;
    // Before the added lines, among them, or after them.
    if (j < latest) found = table.joined(found, old.writers[j]);
    if (j >= earliest && j < latest + more) found = table.joined(found, added);
    if (j >= earliest + more) found = table.joined(found, old.writers[j - more]);
    writers.push_back(found);
  }
  return writers;
}

// Replaces the lines [first, last). Equal lines keep their writers, as far as they are certain.
void replace_lines(LineTable& table, FileVersion& version, std::size_t first, std::size_t last,
                   const std::vector<LineId>& lines, Writer writer) {
  const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(last);
  const FileVersion old{
      {version.lines.begin() + begin, version.lines.begin() + end},
      {version.writers.begin() + begin, version.writers.begin() + end},
  };
  std::vector<WritersId> writers = writers_of_insertion(table, old, lines, table.set(writer));
  if (writers.empty()) {
    const LineMatches matches = match_stretch(old.lines, lines);
    for (std::size_t j = 0; j < lines.size(); ++j) {
      const std::size_t from = matches.from[j];
      writers.push_back(
          from != LineMatches::kNone
              ? old.writers[from]
              : writers_of_unmatched(table, lines[j], old, matches, table.set(writer)));
    }
  }
  splice(version.lines, first, last, lines);
  splice(version.writers, first, last, writers);
}

bool replace(LineTable& table, FileVersion& version, const Replacement& replacement,
             Writer writer) {
  const std::string before = without_returns(replacement.before);
  const std::string after = without_returns(replacement.after);
  if (before.empty()) {
    if (!version.lines.empty()) return false;
    replace_lines(table, version, 0, 0, table.lines_of(after), writer);
    return true;
  }
  const VersionText text(table, version);
  const std::vector<std::size_t> places = text.places_of(before);
  if (places.empty() || (places.size() > 1 && !replacement.everywhere)) return false;
  // From the end, so that earlier lines keep their numbers. Two places may share a line.
  std::size_t next = version.lines.size() + 1;
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    const auto stretch = text.replaced(*at, before.size(), after);
    if (stretch.last > next) return false;
    next = stretch.first;
    replace_lines(table, version, stretch.first, stretch.last, table.lines_of(stretch.text),
                  writer);
  }
  return true;
}

// --- Diffs -------------------------------------------------------------------

struct Hunk {
  std::optional<std::size_t> before,
      after;            // The numbers of the first lines, if the diff has them.
  std::string heading;  // A line that comes before, in a patch.
  std::vector<char> signs;
  std::vector<LineId> lines;

  std::vector<LineId> side(char without) const {
    std::vector<LineId> chosen;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (signs[i] != without) chosen.push_back(lines[i]);
    }
    return chosen;
  }
};

// Reads `@@ -12,3 +14,4 @@` or `@@ def f():`.
void read_heading(std::string_view text, Hunk& hunk) {
  const auto number_after = [&](std::string_view mark) -> std::optional<std::size_t> {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const char* const begin = text.data() + at + mark.size();
    std::size_t number = 0;
    const auto got = std::from_chars(begin, text.data() + text.size(), number);
    return got.ec == std::errc() ? std::optional(number) : std::nullopt;
  };
  if (text.starts_with("@@ -")) {
    hunk.before = number_after(" -");
    hunk.after = number_after(" +");
    if (hunk.before && hunk.after) return;
  }
  hunk.before = hunk.after = std::nullopt;
  text.remove_prefix(std::min<std::size_t>(2, text.size()));
  hunk.heading = trimmed(text);
}

std::vector<Hunk> hunks_of(LineTable& table, const std::vector<graph::UnifiedLine>& diff) {
  std::vector<Hunk> hunks;
  bool continues = false;
  for (const graph::UnifiedLine& line : diff) {
    if (line.kind == '\\') continue;
    if (line.kind == '@') {
      hunks.emplace_back();
      read_heading(line.text, hunks.back());
      continues = true;
      continue;
    }
    if (!continues) hunks.emplace_back();
    continues = true;
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);
    hunks.back().signs.push_back(line.kind);
    hunks.back().lines.push_back(table.line(text));
  }
  std::erase_if(hunks, [](const Hunk& hunk) { return hunk.lines.empty(); });
  return hunks;
}

bool is_at(std::span<const LineId> lines, std::size_t at, std::span<const LineId> piece) {
  return at <= lines.size() && piece.size() <= lines.size() - at &&
         std::ranges::equal(lines.subspan(at, piece.size()), piece);
}

// Returns the only place of `piece` at or after `from`.
std::optional<std::size_t> only_place(std::span<const LineId> lines, std::size_t from,
                                      std::span<const LineId> piece) {
  std::optional<std::size_t> found;
  for (std::size_t at = from; at + piece.size() <= lines.size(); ++at) {
    if (!is_at(lines, at, piece)) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// Finds the place of each hunk in turn.
class Finder {
 public:
  explicit Finder(const LineTable& table) : table_(table) {}

  std::optional<std::size_t> find(std::span<const LineId> lines, const Hunk& hunk, bool is_patch) {
    const std::vector<LineId> piece = hunk.side('+');
    if (hunk.before) {
      // The number of a hunk without lines is that of the line before it.
      const auto number = static_cast<std::int64_t>(*hunk.before) - (piece.empty() ? 0 : 1);
      const std::int64_t at = number + shift_;
      if (at >= 0 && is_at(lines, static_cast<std::size_t>(at), piece)) {
        return static_cast<std::size_t>(at);
      }
      return piece.empty() ? std::nullopt : only_place(lines, next_, piece);
    }
    if (!hunk.heading.empty()) {
      const auto is_heading = [&](LineId line) {
        return trimmed(table_.text(line)) == hunk.heading;
      };
      const auto from = lines.begin() + static_cast<std::ptrdiff_t>(next_);
      const auto heading = std::find_if(from, lines.end(), is_heading);
      if (heading == lines.end()) return std::nullopt;
      next_ = static_cast<std::size_t>(heading - lines.begin()) + 1;
    }
    if (!piece.empty()) return only_place(lines, next_, piece);
    return is_patch ? std::optional(lines.size()) : std::nullopt;  // A patch adds to the end.
  }

  void take(const Hunk& hunk, std::size_t at) {
    const auto added = std::ranges::count(hunk.signs, '+');
    const auto removed = std::ranges::count(hunk.signs, '-');
    shift_ += added - removed;
    next_ = at + hunk.side('-').size();
  }

 private:
  const LineTable& table_;
  std::size_t next_ = 0;    // Hunks are in the order of their places.
  std::int64_t shift_ = 0;  // By the hunks before.
};

// Changes the lines of a hunk as its signs say.
void apply_signs(LineTable& table, FileVersion& version, std::size_t at, const Hunk& hunk,
                 Writer writer) {
  std::vector<WritersId> writers;
  std::size_t from = at;
  for (const char sign : hunk.signs) {
    if (sign == '+') writers.push_back(table.set(writer));
    if (sign == ' ') writers.push_back(version.writers[from]);
    if (sign != '+') ++from;
  }
  splice(version.lines, at, from, hunk.side('-'));
  splice(version.writers, at, from, writers);
}

}  // namespace

// --- Tables ------------------------------------------------------------------

LineTable::LineTable() = default;

LineId LineTable::line(std::string_view text) {
  if (const auto known = lines_.find(text); known != lines_.end()) return known->second;
  const auto number = static_cast<LineId>(texts_.size());
  texts_.emplace_back(text);
  weights_.push_back(weight_of(text));
  lines_.emplace(texts_.back(), number);
  return number;
}

LineId LineTable::new_line() {
  texts_.emplace_back();
  weights_.push_back(0);
  return static_cast<LineId>(texts_.size() - 1);
}

std::vector<LineId> LineTable::lines_of(std::string_view text) {
  std::vector<LineId> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    if (one.ends_with('\r')) one.remove_suffix(1);
    lines.push_back(line(one));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

WritersId LineTable::set(Writers writers) {
  const auto known = numbers_.find(writers);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<WritersId>(sets_.size());
  sets_.push_back(writers);
  numbers_.emplace(std::move(writers), number);
  return number;
}

WritersId LineTable::joined(WritersId a, WritersId b) {
  if (a == b || b == FileVersion::kNothing) return a;
  if (a == FileVersion::kNothing) return b;
  Writers both;
  std::ranges::set_union(sets_[a], sets_[b], std::back_inserter(both));
  return set(std::move(both));
}

// --- Changes -----------------------------------------------------------------

WritersId writers_of_unmatched(LineTable& table, LineId line, const FileVersion& before,
                               const LineMatches& matches, WritersId writers) {
  for (std::size_t i = 0; i < before.lines.size(); ++i) {
    if (before.lines[i] != line || matches.is_kept[i]) continue;
    writers = table.joined(writers, before.writers[i]);
  }
  return writers;
}

namespace {

// Returns true if a file after a change has all that the recorded diff shows, where the diff says
// it. A version that was written over meanwhile does not.
bool agrees(std::span<const LineId> lines, const std::vector<Hunk>& hunks) {
  return std::ranges::all_of(hunks, [&](const Hunk& hunk) {
    const std::vector<LineId> piece = hunk.side('-');
    return piece.empty() || hunk.after.value_or(0) == 0 || is_at(lines, *hunk.after - 1, piece);
  });
}

}  // namespace

std::optional<FileVersion> changed(LineTable& table, const FileVersion& version,
                                   const FileChange& change, Writer writer) {
  const std::vector<Hunk> hunks = hunks_of(table, change.diff);
  if (!change.replacements.empty()) {
    FileVersion result = version;
    const auto is_done = [&](const Replacement& each) {
      return replace(table, result, each, writer);
    };
    if (std::ranges::all_of(change.replacements, is_done) && agrees(result.lines, hunks)) {
      return result;
    }
  }
  if (hunks.empty()) return std::nullopt;
  FileVersion result = version;
  Finder finder(table);
  for (const Hunk& hunk : hunks) {
    const auto at = finder.find(result.lines, hunk, change.is_patch);
    if (!at) return std::nullopt;
    if (change.is_patch) {
      apply_signs(table, result, *at, hunk, writer);
    } else {
      replace_lines(table, result, *at, *at + hunk.side('+').size(), hunk.side('-'), writer);
    }
    finder.take(hunk, *at);
  }
  return result;
}

std::optional<std::vector<LineId>> lines_before(LineTable& table, std::span<const LineId> after,
                                                const FileChange& change) {
  const std::vector<Hunk> hunks = hunks_of(table, change.diff);
  if (hunks.empty()) return std::nullopt;
  std::vector<LineId> lines(after.begin(), after.end());
  for (auto hunk = hunks.rbegin(); hunk != hunks.rend(); ++hunk) {
    if (!hunk->after) return std::nullopt;
    const std::vector<LineId> piece = hunk->side('-');
    const std::size_t at = *hunk->after - (piece.empty() || *hunk->after == 0 ? 0 : 1);
    if (!is_at(lines, at, piece)) return std::nullopt;
    splice(lines, at, at + piece.size(), hunk->side('+'));
  }
  return lines;
}

namespace {

// Returns which lines of a hunk may have been added or not: an added block that may as well begin
// some lines earlier or later, since the lines around it are equal to its own.
std::vector<bool> doubtful_lines(const Hunk& hunk) {
  const std::size_t count = hunk.lines.size();
  std::vector<bool> doubtful(count, false);
  const auto mark = [&](std::size_t added, std::size_t kept) {
    if (hunk.signs[kept] != ' ' || hunk.lines[added] != hunk.lines[kept]) return false;
    doubtful[added] = doubtful[kept] = true;
    return true;
  };
  for (std::size_t begin = 0, end = 0; begin < count; begin = std::max(end, begin + 1)) {
    end = begin;
    while (end < count && hunk.signs[end] == '+') ++end;
    if (end == begin) continue;
    for (std::size_t i = 0; end + i < count && mark(begin + i, end + i);) ++i;
    for (std::size_t i = 1; i <= begin && mark(end - i, begin - i);) ++i;
  }
  return doubtful;
}

}  // namespace

FileVersion pieces_of(LineTable& table, const FileChange& change, Writer writer) {
  FileVersion pieces;
  const auto add = [&](LineId line, WritersId writers) {
    pieces.lines.push_back(line);
    pieces.writers.push_back(writers);
  };
  for (const Hunk& hunk : hunks_of(table, change.diff)) {
    // A patch is what the agent wrote; other diffs were made of two texts.
    const std::vector<bool> doubtful =
        change.is_patch ? std::vector<bool>(hunk.lines.size()) : doubtful_lines(hunk);
    add(table.new_line(), FileVersion::kNothing);
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      if (hunk.signs[i] == '-') continue;
      const WritersId known = hunk.signs[i] == '+' ? table.set(writer) : FileVersion::kNothing;
      add(hunk.lines[i], doubtful[i] ? table.set(Writers{writer, kNoEdit}) : known);
    }
  }
  add(table.new_line(), FileVersion::kNothing);
  return pieces;
}

}  // namespace spoor::trace
