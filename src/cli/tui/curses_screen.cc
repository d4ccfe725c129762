#include "cli/tui/curses_screen.h"

#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <utility>

#include <unistd.h>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "cli/terminal/interrupt.h"

namespace spoor::cli::tui {
namespace {

constexpr int kColors = 8;
constexpr int kEscapeDelay = 25;  // Milliseconds in which the rest of a key's sequence comes.

constexpr std::pair<int, Key> kKeys[] = {
    {KEY_UP, keys::up},
    {KEY_DOWN, keys::down},
    {KEY_LEFT, keys::left},
    {KEY_RIGHT, keys::right},
    {KEY_PPAGE, keys::page_up},
    {KEY_NPAGE, keys::page_down},
    {KEY_HOME, keys::home},
    {KEY_END, keys::end},
    {KEY_BTAB, keys::back_tab},
    {KEY_ENTER, keys::enter},
    {KEY_BACKSPACE, keys::backspace},
    {KEY_RESIZE, keys::resized},
    {KEY_DC, keys::backspace},
};

// Sent by terminals that do not switch to the keys that ncurses asks for.
constexpr std::pair<const char*, int> kSequences[] = {
    {"\x1b[A", KEY_UP},     {"\x1b[B", KEY_DOWN},   {"\x1b[C", KEY_RIGHT}, {"\x1b[D", KEY_LEFT},
    {"\x1bOA", KEY_UP},     {"\x1bOB", KEY_DOWN},   {"\x1bOC", KEY_RIGHT}, {"\x1bOD", KEY_LEFT},
    {"\x1b[H", KEY_HOME},   {"\x1b[F", KEY_END},    {"\x1b[1~", KEY_HOME}, {"\x1b[4~", KEY_END},
    {"\x1b[5~", KEY_PPAGE}, {"\x1b[6~", KEY_NPAGE},
};

// ncurses draws characters beyond ASCII only in a locale that has them.
void use_utf8() {
  for (const char* const name : {"", "C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, name) != nullptr && MB_CUR_MAX > 1) return;
  }
}

std::wstring wide(std::string_view text) {
  std::wstring out;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    out += static_cast<wchar_t>(next.valid ? next.code : 0xfffd);
    text.remove_prefix(next.length);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<CursesScreen>> CursesScreen::open(bool color) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return unavailable("this needs a terminal", "in a pipe, use 'spoor sessions' and 'spoor log'");
  }
  use_utf8();
  SCREEN* const terminal = ::newterm(nullptr, stdout, stdin);
  if (terminal == nullptr) {
    return unavailable("the terminal is not known", "set TERM, for example to xterm-256color");
  }
  std::unique_ptr<CursesScreen> screen(new CursesScreen(terminal));
  ::cbreak();
  ::noecho();
  ::nonl();
  ::keypad(::stdscr, true);
  ::set_escdelay(kEscapeDelay);
  ::typeahead(-1);  // A frame is drawn whole, also if a key waits.
  for (const auto& [sequence, key] : kSequences) ::define_key(sequence, key);
  screen->has_color_ = color && ::has_colors() && ::start_color() == OK;
  if (screen->has_color_) {
    ::use_default_colors();  // Light or dark: the background stays the terminal's.
    for (int i = 0; i < kColors; ++i) {
      ::init_pair(static_cast<short>(i + 1), static_cast<short>(i), -1);
    }
  }
  return screen;
}

CursesScreen::~CursesScreen() {
  ::endwin();
  ::delscreen(static_cast<SCREEN*>(terminal_));
}

int CursesScreen::rows() const { return ::getmaxy(::stdscr); }

int CursesScreen::columns() const { return ::getmaxx(::stdscr); }

void CursesScreen::show(const std::vector<Line>& frame, std::optional<ScreenPosition> cursor) {
  ::erase();
  for (std::size_t row = 0; row < frame.size(); ++row) {
    if (::move(static_cast<int>(row), 0) == ERR) break;
    for (const Span& span : frame[row]) {
      attr_t attributes = A_NORMAL;
      if (span.look.bold) attributes |= A_BOLD;
      if (span.look.dim) attributes |= A_DIM;
      if (span.look.reverse) attributes |= A_REVERSE;
      const int pair = has_color_ ? span.look.color + 1 : 0;
      ::attr_set(attributes, static_cast<short>(pair), nullptr);
      ::addwstr(wide(span.text).c_str());
    }
  }
  ::curs_set(cursor ? 1 : 0);
  if (cursor) ::move(cursor->row, cursor->column);
  ::refresh();
}

std::optional<Key> CursesScreen::next(std::chrono::milliseconds most) {
  ::timeout(static_cast<int>(most.count()));
  wint_t read = 0;
  errno = 0;
  const int kind = ::get_wch(&read);
  if (is_interrupted()) {
    forget_interrupt();
    return keys::interrupt;
  }
  if (kind == ERR) {
    // Without a terminal a read returns at once, for ever.
    if (errno == EIO || ::tcgetpgrp(STDIN_FILENO) < 0) return keys::closed;
    return std::nullopt;
  }
  if (kind == KEY_CODE_YES) {
    for (const auto& [code, key] : kKeys) {
      if (static_cast<int>(read) == code) return key;
    }
    return std::nullopt;
  }
  if (read == '\r') return keys::enter;
  if (read == 8) return keys::backspace;
  return static_cast<Key>(read);
}

// OSC 52, as xterm defines it ("Operating System Commands", ctlseqs): also through ssh and tmux.
void CursesScreen::copy(std::string_view text) {
  std::string sequence = "\x1b]52;c;" + encode_base64(text) + "\x07";
  std::fwrite(sequence.data(), 1, sequence.size(), stdout);
  std::fflush(stdout);
}

}  // namespace spoor::cli::tui
