#include "cli/tui/browser.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "cli/line_walk.h"
#include "cli/repl/words.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/tui/session_list.h"
#include "cli/tui/turn_list.h"
#include "cli/views/times.h"

namespace spoor::cli::tui {
namespace {

constexpr int kBesideFrom = 140;  // Columns from which on the pane is beside the list.
constexpr int kLeastPane = 8;     // Rows below which there is only one of the two.
constexpr std::uint64_t kNearEdge = 2;
constexpr std::chrono::milliseconds kLook{200};
constexpr std::uint64_t kRowsBetweenLooks = 1024;
constexpr std::size_t kDigits = 64;  // Digits of a commit's whole name.
constexpr std::size_t kShortDigits = 8;

struct Help {
  const char* keys;
  const char* says;
};

constexpr std::array kHelp = {
    Help{"", "Moving"},
    Help{"j k, arrows", "the next or previous row"},
    Help{"space b, page keys", "a page of the pane; of the list Ctrl-F and Ctrl-B"},
    Help{"Ctrl-D Ctrl-U", "half a page"},
    Help{"g G", "the first or last row; :40 is row 40"},
    Help{"{ }", "the request before or after"},
    Help{"J K", "a row of the part without the focus"},
    Help{"enter, right", "open a session, or the pane on the whole screen"},
    Help{"q, left, escape", "back; at the sessions, leave"},
    Help{"tab", "the focus to the pane, or back to the list"},
    Help{"b", "the branches of a session: forks and sub-agents"},
    Help{"", "The pane"},
    Help{"s t d p i", "a turn, its thinking, what was new, the prompt, all facts"},
    Help{"l t d", "a session's log, its thinking, its debrief"},
    Help{"[ ]", "the view before or after"},
    Help{"v", "mark a turn: d compares with it, not with the last answer"},
    Help{"", "Finding, and doing"},
    Help{"/ n N", "find a text, and again; a capital makes case count"},
    Help{":", "run a command, as in ':pin %'; % is the commit at the cursor"},
    Help{"y", "copy the commit's name"},
    Help{"Ctrl-C", "stop what is running"},
    Help{"? Q", "this page; leave"},
};

// Returns the words as a person would type them, with commits shortened.
std::string as_typed(const std::vector<std::string>& words) {
  std::string text = "spoor";
  for (const std::string& word : words) {
    const bool is_name =
        word.size() == kDigits && word.find_first_not_of("0123456789abcdef") == std::string::npos;
    text += ' ' + (is_name ? word.substr(0, kShortDigits) : quoted_word(word));
  }
  return visible_line(text);
}

Line all_in(const Line& line, const Look& look) {
  Line out;
  for (const Span& span : line) out.push_back({span.text, look});
  return out;
}

// Joins a left and a right part, as far apart as possible; the left one is cut.
Line spread(const Line& left, const Line& right, int columns) {
  const int room = columns - width_of(right);
  if (room < 1) return fitted(left, columns);
  Line line = fitted(left, room);
  line.insert(line.end(), right.begin(), right.end());
  return line;
}

}  // namespace

Browser::Browser(Screen& screen, const Host& host, Arguments globals)
    : screen_(screen),
      terminal_([this] { return is_obsolete(); }),
      session_({terminal_, host.environment, host.clock}),
      globals_(std::move(globals)) {}

Result<void> Browser::open(std::string_view revision) {
  TRY(session_.use(globals_, false));
  Workspace& workspace = *TRY(session_.workspace());
  if (const auto newest = TRY(workspace.store().newest_operation())) operation_ = newest->name;
  says("reading the sessions …", Style::muted);
  show_only_bottom();
  push(TRY(SessionList::read(session_)), 0);
  says_.clear();
  if (revision.empty()) return {};

  const store::Oid commit = TRY(workspace.resolve(revision));
  const auto line = TRY(line_through(workspace, commit, branch_named_by(workspace, revision)));
  const std::string branch = line ? line->branch : std::string();
  const store::Oid tip = line ? line->end : commit;
  std::string title = branch.empty() ? "commit " + workspace.short_id(tip) : branch;
  push(TRY(TurnList::read(session_, std::move(title), branch, tip)),
       TRY(workspace.reader().commit(commit))->depth);
  return {};
}

Result<void> Browser::run() {
  const OutlivesInterrupts stays;
  while (!leaves_) {
    aim_pane();
    show();
    if (pane_.is_stale && !ahead_) {
      fill_pane();
      if (pane_.is_stale) continue;  // A key was faster.
      show();
    }
    const std::optional<Key> key = next_key();
    const auto done = key ? obey(*key) : look_for_changes();
    if (done) continue;
    says("error: " + done.error().message, Style::error);
  }
  return {};
}

// ---- The frame ----

Browser::Layout Browser::layout() const {
  const int rows = std::max(screen_.rows() - 2, 1);
  const int columns = screen_.columns();
  Layout layout{.list_rows = rows, .list_columns = columns, .pane_columns = columns};
  if (is_whole_ || is_typed_) {
    layout.list_rows = 0;
    layout.pane_rows = rows - 1;
  } else if (columns >= kBesideFrom) {
    layout.is_beside = true;
    layout.list_columns = std::max(columns * 2 / 5, 64);
    layout.pane_columns = columns - layout.list_columns - 1;
    layout.pane_rows = rows - 1;
  } else if (rows >= kLeastPane) {
    const std::uint64_t size = views_.back().list->size();
    layout.list_rows = static_cast<int>(
        std::clamp<std::uint64_t>(size, 1, static_cast<std::uint64_t>(std::max(rows * 2 / 5, 3))));
    layout.pane_rows = rows - layout.list_rows - 1;
  }
  return layout;
}

const Tab& Browser::tab() { return view().list->tabs()[view().tab]; }

void Browser::show() {
  const int rows = screen_.rows();
  const int columns = screen_.columns();
  if (rows < 3 || columns < 10) {
    show_only_bottom();
    return;
  }
  const Layout shape = layout();
  lay_out_pane(shape.pane_columns);
  Line path;
  for (const View& each : views_) {
    if (!path.empty()) path.push_back({" › ", look_of(Style::muted)});
    path.push_back({visible_line(each.list->title()), look_of(Style::strong)});
  }
  const std::string place =
      fmt::format("  {}/{}", grouped(view().list->size() == 0 ? 0 : view().cursor + 1),
                  grouped(view().list->size()));
  std::vector<Line> frame{spread(path, {{place, look_of(Style::muted)}}, columns)};
  if (helps_) {
    for (Line& line : help_lines(rows - 2, columns)) frame.push_back(std::move(line));
  } else if (shape.is_beside) {
    std::vector<Line> list = list_lines(shape);
    std::vector<Line> pane = pane_lines(shape);
    pane.insert(pane.begin(), heading(shape.pane_columns));
    for (std::size_t i = 0; i < list.size(); ++i) {
      Line line = std::move(list[i]);
      line.push_back({"│", look_of(Style::muted)});
      line.insert(line.end(), pane[i].begin(), pane[i].end());
      frame.push_back(std::move(line));
    }
  } else {
    for (Line& line : list_lines(shape)) frame.push_back(std::move(line));
    if (shape.pane_rows > 0) {
      frame.push_back(heading(columns));
      for (Line& line : pane_lines(shape)) frame.push_back(std::move(line));
    }
  }
  frame.resize(static_cast<std::size_t>(rows - 1), fitted({}, columns));
  frame.push_back(bottom(columns));
  std::optional<ScreenPosition> cursor;
  if (asks_ != Asks::nothing) {
    cursor =
        ScreenPosition{rows - 1, std::min(1 + display_width(visible_line(answer_)), columns - 1)};
  }
  screen_.show(frame, cursor);
}

void Browser::show_only_bottom() {
  const auto rows = static_cast<std::size_t>(std::max(screen_.rows(), 1));
  std::vector<Line> frame(rows - 1, fitted({}, screen_.columns()));
  frame.push_back(bottom(screen_.columns()));
  screen_.show(frame, std::nullopt);
}

std::vector<Line> Browser::list_lines(const Layout& shape) {
  View& view = this->view();
  const auto rows = static_cast<std::uint64_t>(shape.list_rows);
  const std::uint64_t size = view.list->size();
  if (rows > 0) {
    const std::uint64_t edge = std::min(kNearEdge, (rows - 1) / 2);
    if (view.cursor < view.top + edge) view.top = view.cursor - std::min(edge, view.cursor);
    if (view.cursor + edge >= view.top + rows) view.top = view.cursor + edge + 1 - rows;
    view.top = std::min(view.top, size > rows ? size - rows : 0);
  }
  std::vector<Line> lines;
  for (std::uint64_t i = view.top; i < view.top + rows; ++i) {
    if (i >= size) {
      const bool is_first = size == 0 && i == 0;
      lines.push_back(
          fitted({{is_first ? " nothing here yet: 'spoor import' reads sessions of agents" : "",
                   look_of(Style::muted)}},
                 shape.list_columns));
      continue;
    }
    Line line{{view.mark == i ? "*" : " ", look_of(Style::pinned)}};
    auto row = view.list->row(i, shape.list_columns - 1);
    if (row) {
      line.insert(line.end(), row.value().begin(), row.value().end());
    } else {
      line.push_back({visible_line(row.error().message), look_of(Style::error)});
    }
    line = fitted(line, shape.list_columns);
    if (i == view.cursor) {
      line = all_in(line, {.dim = focus_ == Focus::pane, .reverse = true});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Line> Browser::pane_lines(const Layout& shape) {
  const auto rows = static_cast<std::size_t>(shape.pane_rows);
  const std::size_t most = pane_.text.rows() > rows ? pane_.text.rows() - rows : 0;
  pane_.top = std::min(pane_.top, most);
  if (!pane_.is_stale && std::exchange(pane_.shows_end, false)) pane_.top = most;
  std::vector<Line> lines;
  for (std::size_t i = pane_.top; i < pane_.top + rows; ++i) {
    lines.push_back(fitted(i < pane_.text.rows() ? pane_.text.row(i) : Line{}, shape.pane_columns));
  }
  return lines;
}

// The views of the row, and the command whose output is below.
Line Browser::heading(int columns) {
  const Look muted = look_of(Style::muted);
  Line left{{"──", muted}};
  if (!is_typed_) {
    const auto tabs = view().list->tabs();
    for (std::size_t i = 0; i < tabs.size(); ++i) {
      Look look = i == view().tab ? look_of(Style::strong) : muted;
      look.reverse = i == view().tab && focus_ == Focus::pane;
      left.push_back({" ", {}});
      left.push_back({tabs[i].name, look});
    }
    left.push_back({" ", {}});
  }
  std::string command = " " + pane_.command + (pane_.is_stale ? " …" : "") + " ";
  if (pane_.text.rows() > 0) {
    command += fmt::format("{}/{} ", grouped(pane_.top + 1), grouped(pane_.text.rows()));
  }
  const int room = columns - width_of(left) - 2;
  if (room < 12) return fitted(left, columns);
  command = truncated(command, room);
  left.push_back({repeated("─", room - display_width(command)), muted});
  left.push_back({command, look_of(Style::hint)});
  left.push_back({"──", muted});
  return left;
}

Line Browser::bottom(int columns) {
  if (asks_ != Asks::nothing) {
    const std::string shown = visible_line(answer_);
    // The end of a long answer is shown.
    std::string_view end = shown;
    while (!end.empty() && display_width(end) > columns - 2)
      end.remove_prefix(decode_utf8(end).length);
    return fitted(
        {{asks_ == Asks::find ? "/" : ":", look_of(Style::strong)}, {std::string(end), {}}},
        columns);
  }
  if (!says_.empty()) return fitted({{visible_line(says_), says_look_}}, columns);
  const bool in_pane = focus_ == Focus::pane;
  const std::string keys =
      in_pane ? "j k scroll  J K next turn  [ ] view  / find  tab list  ? help  q back"
              : "enter open  tab pane  [ ] view  / find  : command  ? help  q " +
                    std::string(views_.size() > 1 ? "back" : "leave");
  return fitted({{keys, look_of(Style::muted)}}, columns);
}

std::vector<Line> Browser::help_lines(int rows, int columns) const {
  std::vector<Line> lines;
  for (const Help& each : kHelp) {
    const bool is_title = each.keys[0] == '\0';
    if (is_title && !lines.empty() && static_cast<int>(kHelp.size()) + 2 <= rows) {
      lines.push_back(fitted({}, columns));
    }
    lines.push_back(is_title
                        ? fitted({{each.says, look_of(Style::strong)}}, columns)
                        : fitted({{padded(std::string("  ") + each.keys, 22), look_of(Style::hint)},
                                  {each.says, {}}},
                                 columns));
  }
  lines.resize(static_cast<std::size_t>(rows), fitted({}, columns));
  return lines;
}

void Browser::says(std::string text, Style style) {
  says_ = std::move(text);
  says_look_ = look_of(style);
}

// ---- Keys, and changes of the store ----

std::optional<Key> Browser::next_key() {
  if (ahead_) return std::exchange(ahead_, std::nullopt);
  return screen_.next(kLook);
}

bool Browser::is_obsolete() {
  if (!ahead_) ahead_ = screen_.next(std::chrono::milliseconds{0});
  return ahead_.has_value();
}

Result<void> Browser::obey(Key key) {
  if (key == keys::resized) return {};
  if (key == keys::closed) {
    leaves_ = true;
    return {};
  }
  says_.clear();
  if (std::exchange(helps_, false)) return {};
  if (asks_ != Asks::nothing) return obey_in_question(key);
  if (TRY(obey_everywhere(key))) return {};
  if (focus_ == Focus::list) return obey_in_list(key);
  obey_in_pane(key);
  return {};
}

// Returns whether the key means the same in the list and in the pane.
Result<bool> Browser::obey_everywhere(Key pressed) {
  const auto tabs = view().list->tabs();
  for (std::size_t i = 0; !is_typed_ && i < tabs.size(); ++i) {
    if (pressed >= 0x80 || !tabs[i].is(static_cast<char>(pressed))) continue;
    view().tab = i;
    return true;
  }
  const bool in_list = focus_ == Focus::list;
  switch (pressed) {
    case U'q':
    case keys::left:
    case keys::escape:
      leave_view();
      return true;
    case U'Q':
      leaves_ = true;
      return true;
    case keys::interrupt:
      says("Q leaves", Style::muted);
      return true;
    case U'?':
      helps_ = true;
      return true;
    case keys::tab:
    case keys::back_tab:
      if (!is_typed_) {
        focus_ = in_list ? Focus::pane : Focus::list;
        is_whole_ = false;
      }
      return true;
    case U'[':
    case U']':
      if (!is_typed_) {
        view().tab = (view().tab + (pressed == U']' ? 1 : tabs.size() - 1)) % tabs.size();
      }
      return true;
    case U'/':
    case U':':
      asks_ = pressed == U'/' ? Asks::find : Asks::command;
      answer_.clear();
      return true;
    case U'n':
    case U'N':
      TRY(find(pressed == U'n', false));
      return true;
    case U'y':
      TRY(copy_name());
      return true;
    case U' ':
      scroll_by(std::max(layout().pane_rows - 1, 1));
      return true;
    case U'J':
    case U'K':
      in_list ? scroll_by(pressed == U'J' ? 1 : -1) : move_by(pressed == U'J' ? 1 : -1);
      return true;
    case U'{':
    case U'}':
      TRY(next_chapter(pressed == U'}'));
      return true;
    default:
      return false;
  }
}

Result<void> Browser::obey_in_list(Key pressed) {
  const std::int64_t page = std::max(layout().list_rows - 1, 1);
  const std::uint64_t size = view().list->size();
  switch (pressed) {
    case U'j':
    case keys::down:
      move_by(1);
      break;
    case U'k':
    case keys::up:
      move_by(-1);
      break;
    case keys::page_down:
    case ctrl('F'):
      move_by(page);
      break;
    case keys::page_up:
    case ctrl('B'):
      move_by(-page);
      break;
    case ctrl('D'):
      move_by(page / 2 + 1);
      break;
    case ctrl('U'):
      move_by(-(page / 2 + 1));
      break;
    case U'g':
    case keys::home:
      move_to(0);
      break;
    case U'G':
    case keys::end:
      move_to(size == 0 ? 0 : size - 1);
      break;
    case keys::enter:
    case keys::right:
      return open_row();
    case U'b':
      return open_branches();
    case U'v':
      if (size > 0)
        view().mark = view().mark == view().cursor ? std::nullopt : std::optional(view().cursor);
      break;
    default:
      says("no such key here; ? lists them", Style::muted);
  }
  return {};
}

void Browser::obey_in_pane(Key pressed) {
  const std::int64_t page = std::max(layout().pane_rows - 1, 1);
  switch (pressed) {
    case U'j':
    case keys::down:
    case keys::enter:
      return scroll_by(1);
    case U'k':
    case keys::up:
      return scroll_by(-1);
    case keys::page_down:
    case ctrl('F'):
      return scroll_by(page);
    case keys::page_up:
    case ctrl('B'):
    case U'b':
      return scroll_by(-page);
    case ctrl('D'):
      return scroll_by(page / 2 + 1);
    case ctrl('U'):
      return scroll_by(-(page / 2 + 1));
    case U'g':
    case keys::home:
      pane_.top = 0;
      break;
    case U'G':
    case keys::end:
      pane_.top = pane_.text.rows();
      break;
    default:
      says("no such key here; ? lists them", Style::muted);
  }
}

Result<void> Browser::obey_in_question(Key pressed) {
  if (pressed == keys::escape || pressed == keys::interrupt ||
      (pressed == keys::backspace && answer_.empty())) {
    asks_ = Asks::nothing;
  } else if (pressed == keys::enter) {
    const Asks asked = std::exchange(asks_, Asks::nothing);
    if (asked == Asks::command) return run_typed();
    if (!answer_.empty()) needle_ = answer_;
    return find(true, true);
  } else if (pressed == keys::up) {
    answer_ = asks_ == Asks::find ? needle_ : typed_;
  } else if (pressed == ctrl('U')) {
    answer_.clear();
  } else if (pressed == keys::backspace) {
    while (!answer_.empty() && (static_cast<unsigned char>(answer_.back()) & 0xc0) == 0x80) {
      answer_.pop_back();
    }
    if (!answer_.empty()) answer_.pop_back();
  } else if (pressed == ctrl('W')) {
    while (!answer_.empty() && answer_.back() == ' ') answer_.pop_back();
    while (!answer_.empty() && answer_.back() != ' ') answer_.pop_back();
  } else if (pressed >= U' ' && pressed < keys::up) {
    append_utf8(answer_, pressed);
  }
  return {};
}

void Browser::move_to(std::uint64_t row) {
  const std::uint64_t size = view().list->size();
  view().cursor = size == 0 ? 0 : std::min(row, size - 1);
}

void Browser::move_by(std::int64_t rows) {
  const std::uint64_t at = view().cursor;
  const auto steps = static_cast<std::uint64_t>(rows < 0 ? -rows : rows);
  move_to(rows < 0 ? at - std::min(at, steps) : at + steps);
}

void Browser::scroll_by(std::int64_t rows) {
  const auto steps = static_cast<std::size_t>(rows < 0 ? -rows : rows);
  pane_.top = rows < 0 ? pane_.top - std::min(pane_.top, steps) : pane_.top + steps;
}

void Browser::push(std::unique_ptr<List> list, std::uint64_t cursor) {
  views_.push_back({.list = std::move(list), .cursor = cursor});
  focus_ = Focus::list;
}

Result<void> Browser::open_row() {
  if (view().list->size() == 0) return {};
  auto opened = TRY(view().list->open(view().cursor));
  if (opened == nullptr) {
    focus_ = Focus::pane;
    is_whole_ = !layout().is_beside;
    return {};
  }
  const std::uint64_t size = opened->size();
  push(std::move(opened), size == 0 ? 0 : size - 1);
  return {};
}

Result<void> Browser::open_branches() {
  if (view().list->size() == 0) return {};
  auto opened = TRY(view().list->branches(view().cursor));
  if (opened != nullptr) {
    push(std::move(opened), 0);
  } else {
    says("branches are listed for a session", Style::muted);
  }
  return {};
}

// One step back: from a typed command, from the pane, from the list.
void Browser::leave_view() {
  if (std::exchange(is_typed_, false)) {
    pane_ = {};
    focus_ = Focus::list;
  } else if (focus_ == Focus::pane) {
    focus_ = Focus::list;
    is_whole_ = false;
  } else if (views_.size() > 1) {
    views_.pop_back();
    if (auto at = view().list->refresh(view().cursor)) view().cursor = at.value();
  } else {
    leaves_ = true;
  }
}

Result<void> Browser::next_chapter(bool forward) {
  View& view = this->view();
  const std::uint64_t size = view.list->size();
  for (std::uint64_t at = view.cursor; forward ? at + 1 < size : at > 0;) {
    forward ? ++at : --at;
    if (TRY(view.list->begins_chapter(at))) {
      view.cursor = at;
      return {};
    }
    if (at % kRowsBetweenLooks == 0 && is_obsolete()) return {};
  }
  move_to(forward ? size : 0);
  return {};
}

Result<void> Browser::find(bool forward, bool from_here) {
  if (needle_.empty()) return {};
  if (focus_ == Focus::list) return find_in_list(forward, from_here);
  const std::size_t rows = pane_.text.rows();
  if (rows == 0) return {};
  const std::size_t from = from_here ? pane_.top : pane_.top + (forward ? 1 : rows - 1);
  auto found = pane_.text.find(needle_, from % rows, forward);
  if (!found) found = pane_.text.find(needle_, forward ? 0 : rows - 1, forward);
  if (found) {
    pane_.top = *found;
  } else {
    says("'" + needle_ + "' is not in this text", Style::warning);
  }
  return {};
}

Result<void> Browser::find_in_list(bool forward, bool from_here) {
  View& view = this->view();
  const std::uint64_t size = view.list->size();
  for (std::uint64_t step = from_here ? 0 : 1; step <= size && size > 0; ++step) {
    const std::uint64_t at = (forward ? view.cursor + step : view.cursor + size - step) % size;
    if (TRY(view.list->has(at, needle_))) {
      view.cursor = at;
      return {};
    }
    if (step % kRowsBetweenLooks != 0) continue;
    says(fmt::format("looking at row {} of {}; any key stops", grouped(at), grouped(size)),
         Style::muted);
    show();
    if (is_obsolete()) return {};
  }
  says("'" + needle_ + "' is in none of these", Style::warning);
  return {};
}

Result<void> Browser::run_typed() {
  const std::string line = answer_;
  std::uint64_t row = 0;
  const char* const end = line.data() + line.size();
  if (const auto read = std::from_chars(line.data(), end, row);
      !line.empty() && read.ec == std::errc() && read.ptr == end) {
    move_to(row == 0 ? 0 : row - 1);
    return {};
  }
  const Words split = split_words(line);
  if (split.is_open) return invalid("a quote is not closed");
  std::vector<std::string> words;
  for (const Word& word : split.words) words.push_back(word.text);
  if (!words.empty() && words.front() == "spoor") words.erase(words.begin());
  if (words.empty()) return {};
  typed_ = line;
  if (const Command* command = find_command(words.front());
      command != nullptr && !command->is_callable) {
    return invalid(fmt::format("'{}' does not run in here: leave first", command->name));
  }
  for (std::string& word : words) {
    if (word == "%" && view().list->size() > 0) {
      word = TRY(view().list->commit(view().cursor)).hex();
    }
  }
  is_typed_ = true;
  focus_ = Focus::pane;
  pane_ = {.command = as_typed(words), .words = words};
  return {};
}

Result<void> Browser::copy_name() {
  if (view().list->size() == 0) return {};
  const store::Oid commit = TRY(view().list->commit(view().cursor));
  screen_.copy(commit.hex());
  says("copied " + commit.hex(), Style::added);
  return {};
}

Result<void> Browser::look_for_changes() {
  const store::Store& store = TRY(session_.workspace())->store();
  const auto newest = TRY(store.newest_operation());
  if (!newest || newest->name == operation_) return {};
  operation_ = newest->name;
  TRY(TRY(session_.workspace())->repository().forget_erased());
  view().cursor = TRY(view().list->refresh(view().cursor));
  if (!is_typed_) pane_.is_stale = true;
  return {};
}

// ---- The pane ----

void Browser::aim_pane() {
  if (is_typed_) return;
  if (view().list->size() == 0) {
    pane_ = {.is_stale = false};
    return;
  }
  auto words = view().list->command(view().cursor, tab(), view().mark);
  if (!words) {  // For example a damaged turn; its row shows the error, too.
    pane_ = {.is_stale = false, .text = Text("error: " + visible(words.error().message))};
    return;
  }
  if (words.value() == pane_.words) return;
  pane_.words = std::move(words).value();
  pane_.command = as_typed(pane_.words);
  pane_.is_stale = true;
  pane_.top = 0;
  pane_.shows_end = tab().ends;
}

void Browser::fill_pane() {
  terminal_.begin(layout().pane_columns, pane_.shows_end);
  session_.begin_command({});
  dispatch(session_, pane_.words, globals_);
  if (is_interrupted()) {
    forget_interrupt();
  } else if (terminal_.is_ended() && !is_typed_) {
    return;  // Stays stale: a key came, after which another text may be wanted.
  }
  std::string printed = terminal_.printed();
  if (terminal_.is_cut()) {
    const std::string note = "… the rest is not shown here: " + pane_.command + '\n';
    printed = pane_.shows_end ? note + printed : printed + note;
  }
  pane_.text = Text(printed);
  pane_.columns = 0;
  pane_.is_stale = false;
}

void Browser::lay_out_pane(int columns) {
  if (pane_.columns == columns) return;
  pane_.columns = columns;
  pane_.text.lay_out(columns);
}

}  // namespace spoor::cli::tui
