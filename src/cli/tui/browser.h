#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/arguments.h"
#include "cli/session.h"
#include "cli/tui/list.h"
#include "cli/tui/pane_terminal.h"
#include "cli/tui/screen.h"
#include "cli/tui/text.h"

namespace spoor::cli::tui {

/// The terminal browser: a list, below or beside it a pane that shows the row under the cursor, and
/// a stack of the lists that led there. The pane is the output of a command of the table, which its
/// heading names.
///
/// A frame depends on the state and the size of the screen alone. For one thread.
class Browser {
 public:
  /// `host` and `screen` must outlive it; of the host, its environment and clock are used.
  /// `globals` are the options of each command, such as the store.
  Browser(Screen& screen, const Host& host, Arguments globals);

  /// Begins with the sessions of the store, or at a commit on its branch. Call it once.
  Result<void> open(std::string_view revision);

  /// Shows frames and obeys keys until the person leaves.
  Result<void> run();

 private:
  /// A list and where a person is in it.
  struct View {
    std::unique_ptr<List> list;
    std::uint64_t cursor = 0;
    std::uint64_t top = 0;  // The first row that is shown.
    std::size_t tab = 0;
    std::optional<std::uint64_t> mark = {};
  };

  /// The text beside the list.
  struct Pane {
    std::string command;  // Whose output it is, or is to be.
    std::vector<std::string> words;
    bool is_stale = true;
    bool shows_end = false;
    Text text;
    std::size_t top = 0;
    int columns = 0;  // That it was laid out for.
  };

  /// The rows and columns of each part of the screen.
  struct Layout {
    int list_rows = 0, list_columns = 0;
    int pane_rows = 0, pane_columns = 0;
    bool is_beside = false;
  };

  enum class Focus { list, pane };
  enum class Asks { nothing, find, command };

  View& view() { return views_.back(); }
  Layout layout() const;
  const Tab& tab();

  // The frame.
  void show();
  void show_only_bottom();
  std::vector<Line> list_lines(const Layout& layout);
  std::vector<Line> pane_lines(const Layout& layout);
  Line heading(int columns);
  Line bottom(int columns);
  std::vector<Line> help_lines(int rows, int columns) const;

  void says(std::string text, Style style);

  // Keys, and changes of the store.
  Result<void> obey(Key key);
  Result<void> obey_in_list(Key key);
  void obey_in_pane(Key key);
  Result<void> obey_in_question(Key key);
  Result<bool> obey_everywhere(Key key);
  void move_to(std::uint64_t row);
  void move_by(std::int64_t rows);
  void scroll_by(std::int64_t rows);
  Result<void> open_row();
  Result<void> open_branches();
  void push(std::unique_ptr<List> list, std::uint64_t cursor);
  void leave_view();
  Result<void> next_chapter(bool forward);
  Result<void> find(bool forward, bool from_here);
  Result<void> find_in_list(bool forward, bool from_here);
  Result<void> run_typed();
  Result<void> copy_name();
  Result<void> look_for_changes();

  // The pane.
  void aim_pane();
  void fill_pane();
  void lay_out_pane(int columns);
  bool is_obsolete();
  std::optional<Key> next_key();

  Screen& screen_;
  PaneTerminal terminal_;
  Session session_;  // Whose output the pane shows.
  Arguments globals_;
  std::vector<View> views_;
  Pane pane_;
  Focus focus_ = Focus::list;
  bool is_typed_ = false;  // The pane shows a command that was typed.
  bool is_whole_ = false;  // The pane takes the whole screen.
  bool helps_ = false;
  bool leaves_ = false;
  Asks asks_ = Asks::nothing;
  std::string answer_;  // To what is asked, so far.
  std::string needle_;  // That was last looked for.
  std::string typed_;   // The last command.
  std::string says_;    // For the bottom line, until the next key.
  Look says_look_;
  std::optional<Key> ahead_;             // A key that was read to see whether there is one.
  std::optional<store::Oid> operation_;  // The newest that was looked at.
};

}  // namespace spoor::cli::tui
