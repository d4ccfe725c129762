#include "cli/repl/line_editor.h"

#include <cerrno>
#include <clocale>
#include <cstdio>

#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/repl/key_reader.h"
#include "cli/repl/line_history.h"
#include "cli/repl/line_layout.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"

namespace spoor::cli {
namespace {

// Separates a prompt's escape sequences from its visible text. Does not occur in text, since
// visible() escapes it.
constexpr wchar_t kEscapeMark = L'\1';

constexpr std::string_view kPasteOn = "\033[?2004h";
constexpr std::string_view kPasteOff = "\033[?2004l";
constexpr std::wstring_view kPasteEnd = L"\033[201~";

int terminal_columns() {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

void put(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

// The C library's callbacks are static and find this object by its client data.
class LineEditor::Impl {
 public:
  Impl(Completer completer, bool color) : completer_(std::move(completer)), color_(color) {}

  ~Impl() {
    if (history_ != nullptr) ::history_wend(history_);
    if (editor_ != nullptr) ::el_end(editor_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool start() {
    // The program uses UTF-8 in every locale, and so must the editor.
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
    editor_ = ::el_init("spoor", stdin, stdout, stderr);
    history_ = ::history_winit();
    if (editor_ == nullptr || history_ == nullptr) return false;
    HistEventW event{};
    ::history_w(history_, &event, H_SETSIZE, static_cast<int>(LineHistory::kMostLines));

    ::el_wset(editor_, EL_CLIENTDATA, this);
    ::el_wset(editor_, EL_EDITOR, L"emacs");
    ::el_wset(editor_, EL_HIST, ::history_w, history_);
    ::el_wset(editor_, EL_PROMPT_ESC, &Impl::prompt_text, kEscapeMark);
    ::el_wset(editor_, EL_GETCFN, &Impl::read_character);
    rewrite_lines();
    bind_keys();
    ::el_source(editor_, nullptr);  // The user's own ~/.editrc.
    if (is_vi()) bind_keys();       // `bind -v` has removed them.
    return true;
  }

  Typed read(const std::vector<PromptPart>& prompt) {
    set_prompt(prompt);
    was_cancelled_ = false;
    KeyReader keys({[this] { redraw_resized(); },
                    [this] {
                      put(kPasteOff);
                      ::el_wset(editor_, EL_PREP_TERM, 0);
                    },
                    [this] {
                      put(kPasteOn);
                      ::el_wset(editor_, EL_PREP_TERM, 1);
                      ::el_wset(editor_, EL_REFRESH);
                    }});
    keys_ = &keys;
    put(kPasteOn);
    ::el_resize(editor_);
    // Before the prompt is visible, since the editor must echo all input after it.
    ::el_wset(editor_, EL_PREP_TERM, 1);
    int count = 0;
    const wchar_t* line = ::el_wgets(editor_, &count);
    put(kPasteOff);
    keys_ = nullptr;

    if (was_cancelled_) return {Ends::interrupted, {}};
    if (line == nullptr || count <= 0) return {Ends::end, {}};
    std::wstring_view typed(line, static_cast<std::size_t>(count));
    if (typed.back() == L'\n') typed.remove_suffix(1);
    return {Ends::line, to_bytes(typed)};
  }

  void remember(const std::string& line) {
    HistEventW event{};
    // The editor removes one line end from the lines it recalls.
    ::history_w(history_, &event, H_ENTER, (to_characters(line) + L"\n").c_str());
  }

 private:
  static Impl& of(EditLine* editor) {
    void* self = nullptr;
    ::el_wget(editor, EL_CLIENTDATA, &self);
    return *static_cast<Impl*>(self);
  }

  static wchar_t* prompt_text(EditLine* editor) { return of(editor).prompt_.data(); }

  static int read_character(EditLine* editor, wchar_t* character) {
    const Impl& self = of(editor);
    if (!self.was_cancelled_) return self.keys_->next(*character);
    errno = EINTR;
    return -1;
  }

  // Ctrl-C: moves the cursor past the line's end; the next read ends the line.
  static unsigned char cancel(EditLine* editor, wint_t /*key*/) {
    const LineInfoW* line = ::el_wline(editor);
    ::el_cursor(editor, static_cast<int>(line->lastchar - line->cursor));
    of(editor).was_cancelled_ = true;
    return CC_CURSOR;
  }

  // Ctrl-D: ends the input on an empty line, else deletes a character.
  static unsigned char leave_or_delete(EditLine* editor, wint_t /*key*/) {
    const LineInfoW* line = ::el_wline(editor);
    if (line->buffer == line->lastchar) return CC_EOF;
    if (line->cursor == line->lastchar) return CC_REFRESH_BEEP;
    ::el_cursor(editor, 1);
    ::el_deletestr(editor, 1);
    return CC_REFRESH;
  }

  static unsigned char paste(EditLine* editor, wint_t /*key*/) {
    std::wstring text;
    while (!text.ends_with(kPasteEnd)) {
      wchar_t character = 0;
      if (::el_wgetc(editor, &character) != 1) return CC_EOF;
      if (character == KeyReader::kInterrupt) return cancel(editor, 0);
      if (character != 0) text += character;  // A line cannot hold NUL.
    }
    text.resize(text.size() - kPasteEnd.size());
    ::el_winsertstr(editor, with_line_feeds(text).c_str());
    return CC_REFRESH;
  }

  // vi mode: Escape ended the insertion and moved back one character, which this undoes.
  static unsigned char paste_as_vi(EditLine* editor, wint_t key) {
    ::el_cursor(editor, 1);
    const unsigned char result = paste(editor, key);
    if (result == CC_REFRESH) ::el_wpush(editor, L"i");
    return result;
  }

  // A terminal sends the line ends of a paste as the Enter key.
  static std::wstring with_line_feeds(std::wstring_view text) {
    std::wstring out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_pair = text[i] == L'\r' && i + 1 < text.size() && text[i + 1] == L'\n';
      if (!is_pair) out += text[i] == L'\r' ? L'\n' : text[i];
    }
    return out;
  }

  static unsigned char complete(EditLine* editor, wint_t /*key*/) {
    Impl& self = of(editor);
    const LineInfoW* line = ::el_wline(editor);
    const std::string before = to_bytes({line->buffer, line->cursor});
    const std::string after = to_bytes({line->cursor, line->lastchar});
    const Completion made = self.completer_(before + after, before.size());
    const std::string typed = before.substr(made.begin);
    if (typed != made.text) {
      ::el_deletestr(editor, static_cast<int>(to_characters(typed).size()));
      ::el_winsertstr(editor, to_characters(made.text).c_str());
    } else if (made.listing.empty()) {
      return CC_REFRESH_BEEP;
    }
    if (!made.listing.empty()) self.show_below(made.listing);
    return CC_REFRESH;
  }

  // Prints lines below the current one, and redraws that one below them.
  void show_below(std::string_view lines) {
    const LineInfoW* line = ::el_wline(editor_);
    const int columns = terminal_columns();
    const int end = row_behind(prompt_columns_, {line->buffer, line->lastchar}, columns);
    const int cursor = row_behind(prompt_columns_, {line->buffer, line->cursor}, columns);
    put(std::string(static_cast<std::size_t>(end - cursor + 1), '\n') + "\r");
    put(lines);
    ::el_wset(editor_, EL_REFRESH);
  }

  // The terminal has wrapped its contents again; draw over them.
  void redraw_resized() {
    const LineInfoW* line = ::el_wline(editor_);
    const int row = row_behind(prompt_columns_, {line->buffer, line->cursor}, terminal_columns());
    put(row > 0 ? fmt::format("\r\033[{}A\033[J", row) : "\r\033[J");
    ::el_resize(editor_);
    ::el_wset(editor_, EL_REFRESH);
  }

  void set_prompt(const std::vector<PromptPart>& parts) {
    prompt_.clear();
    prompt_columns_ = 0;
    for (const PromptPart& part : parts) {
      const std::string text = visible(part.text);
      prompt_columns_ += display_width(text);
      const std::string_view style = color_ ? sgr(part.style) : std::string_view();
      if (!style.empty()) escape(fmt::format("\033[{}m", style));
      prompt_ += to_characters(text);
      if (!style.empty()) escape("\033[0m");
    }
  }

  void escape(std::string_view sequence) {
    prompt_ += kEscapeMark;
    prompt_ += to_characters(sequence);
    prompt_ += kEscapeMark;
  }

  bool is_vi() const {
    const wchar_t* mode = L"";
    ::el_wget(editor_, EL_EDITOR, &mode);
    return std::wstring_view(mode) == L"vi";
  }

  void bind_keys() {
    const auto add = [this](const wchar_t* name, const wchar_t* help,
                            unsigned char (*function)(EditLine*, wint_t)) {
      ::el_wset(editor_, EL_ADDFN, name, help, function);
    };
    const bool as_vi = is_vi();
    // In vi mode Escape is a key of its own, and the rest of a sequence would be a command.
    const auto bind = [&](const wchar_t* key, const wchar_t* name) {
      const bool is_sequence = as_vi && key[0] == L'\033';
      if (!is_sequence) ::el_wset(editor_, EL_BIND, key, name, nullptr);
      if (as_vi) ::el_wset(editor_, EL_BIND, L"-a", is_sequence ? key + 1 : key, name, nullptr);
    };
    add(L"spoor-complete", L"Complete the word", &Impl::complete);
    add(L"spoor-cancel", L"Drop the line", &Impl::cancel);
    add(L"spoor-paste", L"Take what is pasted", &Impl::paste);
    add(L"spoor-paste-vi", L"Take what is pasted", &Impl::paste_as_vi);
    add(L"spoor-leave", L"Leave, or delete a character", &Impl::leave_or_delete);
    bind(L"^D", L"spoor-leave");
    bind(L"^I", L"spoor-complete");
    bind(L"^C", L"spoor-cancel");
    bind(L"\033[200~", as_vi ? L"spoor-paste-vi" : L"spoor-paste");
    bind(L"^R", L"em-inc-search-prev");
    bind(L"\033[3~", L"ed-delete-next-char");
    for (const wchar_t* home : {L"\033[H", L"\033OH", L"\033[1~"}) bind(home, L"ed-move-to-beg");
    for (const wchar_t* end : {L"\033[F", L"\033OF", L"\033[4~"}) bind(end, L"ed-move-to-end");
    bind(L"\033[1;5C", L"em-next-word");
    bind(L"\033[1;5D", L"ed-prev-word");
  }

  // If the terminal can insert and delete characters, the editor counts a wide one as one column
  // and loses the cursor, so make it rewrite the rest of the line.
  void rewrite_lines() {
    for (const wchar_t* ability : {L"ic", L"IC", L"im", L"dc", L"DC", L"dm"}) {
      ::el_wset(editor_, EL_SETTC, ability, L"", nullptr);
    }
  }

  Completer completer_;
  bool color_;
  EditLine* editor_ = nullptr;
  HistoryW* history_ = nullptr;
  KeyReader* keys_ = nullptr;  // Set while a line is read.
  std::wstring prompt_;
  int prompt_columns_ = 0;
  bool was_cancelled_ = false;
};

LineEditor::LineEditor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineEditor::~LineEditor() = default;

Result<std::unique_ptr<LineEditor>> LineEditor::open(Completer completer, bool color) {
  auto impl = std::make_unique<Impl>(std::move(completer), color);
  if (!impl->start()) {
    return unavailable("cannot edit lines on this terminal",
                       "set TERM, or run single commands such as 'spoor log'");
  }
  return std::unique_ptr<LineEditor>(new LineEditor(std::move(impl)));
}

LineEditor::Typed LineEditor::read(const std::vector<PromptPart>& prompt) {
  return impl_->read(prompt);
}

void LineEditor::remember(const std::string& line) { impl_->remember(line); }

}  // namespace spoor::cli
