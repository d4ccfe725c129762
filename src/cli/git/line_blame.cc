#include "cli/git/line_blame.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/git/file_log.h"
#include "cli/git/gone_folders.h"
#include "cli/git/work_tree.h"

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLastMicroOfSecond = 999'999;

bool is_plain_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

std::optional<std::uint64_t> line_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto got = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = got.ec == std::errc() && got.ptr == text.data() + text.size();
  return is_whole && number > 0 ? std::optional(number) : std::nullopt;
}

// Something that happened to the file. Git counts seconds: its events come at the end of theirs.
struct Event {
  std::int64_t time = 0;
  const git::FileCommit* commit = nullptr;
  const git::HeadMove* move = nullptr;
  std::optional<trace::Writer> edit = {};
};

std::int64_t end_of_second(Timestamp time) { return time.micros + kLastMicroOfSecond; }

std::vector<Event> events_of(const git::FileLog& log,
                             const std::vector<api::FileEditFound>& edits) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const std::int64_t time = edits[i].time ? edits[i].time->micros : 0;
    events.push_back({.time = time, .edit = static_cast<trace::Writer>(i)});
  }
  for (const git::FileCommit& commit : log.commits) {
    events.push_back({.time = end_of_second(commit.time), .commit = &commit});
  }
  for (const git::HeadMove& move : log.moves) {
    events.push_back({.time = end_of_second(move.time), .move = &move});
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

void put_edit(trace::LineWriters& writers, const std::vector<api::FileEditFound>& edits,
              trace::Writer number) {
  const api::FileEditFound& edit = edits[number];
  if (edit.is_command) {
    writers.unknown_edit(number, edit.place);
  } else {
    writers.edit(number, edit.place, edit.change);
  }
}

std::vector<trace::Writers> writers_of(const git::FileLog& log,
                                       const std::vector<api::FileEditFound>& edits,
                                       std::string_view text) {
  trace::LineWriters writers;
  // The log begins before the first edit: a version that no commit of it made is older.
  std::set<git::Text> made;
  for (const git::FileCommit& commit : log.commits) made.insert(commit.text);
  const auto add_old = [&](const git::Text& version) {
    if (version && !made.contains(version)) writers.base(*version);
  };
  for (const git::FileCommit& commit : log.commits) {
    std::ranges::for_each(commit.parents, add_old);
  }
  for (const git::HeadMove& move : log.moves) add_old(move.text);
  std::set<std::string> made_here;
  for (const git::HeadMove& move : log.moves) made_here.insert(move.to);
  for (const Event& event : events_of(log, edits)) {
    if (event.edit) {
      put_edit(writers, edits, *event.edit);
    } else if (event.commit != nullptr && event.commit->text) {
      std::vector<std::string_view> parents;
      for (const git::Text& parent : event.commit->parents) {
        if (parent) parents.emplace_back(*parent);
      }
      const bool is_here = made_here.contains(event.commit->id);
      writers.commit(*event.commit->text, parents, is_here);
    } else if (event.move != nullptr && event.move->text) {
      writers.head(*event.move->text);
    }
  }
  return writers.of(text);
}

struct Place {
  git::FileLog log;
  bool has_git = false;
};

Result<Place> place_of(const fs::path& path) {
  const auto tree = git::find_work_tree(path.parent_path().string());
  if (!tree) {
    return Place{{{path.filename().string()}, {path.parent_path().string()}, {}, {}}, false};
  }
  const std::string name = path.lexically_relative(tree->folder).generic_string();
  return Place{TRY(git::FileLogReader(tree->folder).names_of(name)), true};
}

}  // namespace

Result<std::optional<FileLines>> find_file_lines(const Session& session, std::string_view word) {
  if (word.empty()) return std::optional<FileLines>();
  const fs::path folder(session.environment().directory());
  const auto absolute = [&](std::string_view name) { return folder / fs::path(name); };
  FileLines found{.shown = std::string(word)};
  fs::path path = absolute(word);
  TRY(session.may_read(path.string()));
  if (!is_plain_file(path)) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::optional<FileLines>();
    const std::string_view range = word.substr(colon + 1);
    const std::size_t dash = range.find('-');
    found.first = line_number(range.substr(0, dash));
    found.last = dash == std::string_view::npos ? found.first : line_number(range.substr(dash + 1));
    path = absolute(word.substr(0, colon));
    TRY(session.may_read(path.string()));
    if (!found.first || !found.last || !is_plain_file(path)) return std::optional<FileLines>();
    found.shown = word.substr(0, colon);
  }
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  found.path = (problem ? path.lexically_normal() : real).string();
  return std::optional(std::move(found));
}

Result<FileBlame> blame_file(Session& session, const FileLines& wanted) {
  const std::string text = TRY(read_given_file(wanted.path, TRY(session.read_limits()).text));
  if (text.find('\0') != std::string::npos) {
    return invalid(fmt::format("'{}' is not a text file", wanted.shown));
  }
  auto [log, has_git] = TRY(place_of(wanted.path));
  const api::Context context = TRY(session.context());
  FileBlame blame{.name = log.names.front()};
  blame.edits = TRY(api::find_file_edits(context, {log.names, log.folders}));
  const auto first = std::ranges::find_if(
      blame.edits, [](const api::FileEditFound& edit) { return edit.time.has_value(); });
  if (has_git && first != blame.edits.end()) {
    TRY(git::FileLogReader(log.folders.front()).read_commits(log, *first->time));
  }
  const std::set<trace::Writer> doubtful = settle_gone_folders(blame.edits, log, text);
  std::vector<trace::Writers> writers = writers_of(log, blame.edits, text);
  for (trace::Writers& each : writers) {
    const bool is_doubtful =
        std::ranges::any_of(each, [&](trace::Writer writer) { return doubtful.contains(writer); });
    if (is_doubtful && each.back() != trace::kNoEdit) each.push_back(trace::kNoEdit);
  }
  const std::uint64_t last = wanted.last.value_or(writers.size());
  if (wanted.first && (last > writers.size() || *wanted.first > last)) {
    return invalid(fmt::format("'{}' has no lines {} to {}", wanted.shown, *wanted.first, last),
                   fmt::format("it has {} lines", writers.size()));
  }
  std::string_view rest = text;
  for (std::uint64_t number = 1; number <= last; ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number < wanted.first.value_or(1)) continue;
    blame.lines.push_back({number, std::string(line), writers[number - 1]});
  }
  return blame;
}

Result<FileBlame> blame_recorded_file(Session& session, const std::string& path) {
  const api::Context context = TRY(session.context());
  const api::WantedFile file = TRY(api::find_edited_file(context, path));
  FileBlame blame{.name = (fs::path(file.folders.front()) / file.names.front()).string()};
  blame.edits = TRY(api::find_file_edits(context, file));
  std::erase_if(blame.edits, [](const api::FileEditFound& edit) { return edit.place != 0; });
  trace::LineWriters writers;
  for (const Event& event : events_of({}, blame.edits)) put_edit(writers, blame.edits, *event.edit);
  const auto found = writers.edited();
  if (!found) {
    return not_found(fmt::format("the recorded edits of '{}' do not give the whole file", path),
                     fmt::format("see 'spoor file {}'", path));
  }
  blame.recorded = RecordedFile{.missing = found->missing};
  if (found->by) blame.recorded->time = blame.edits[*found->by].time;
  for (std::size_t i = 0; i < found->lines.size(); ++i) {
    blame.lines.push_back({i + 1, found->lines[i], found->writers[i]});
  }
  return blame;
}

}  // namespace spoor::cli
