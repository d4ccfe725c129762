#pragma once

#include <csignal>
#include <functional>
#include <string>

namespace spoor::cli {

/// Reads keys from standard input, one character at a time, and reports the terminal's events
/// between them. Signals are handled only while it waits, so the callbacks may call any function.
/// For one thread.
class KeyReader {
 public:
  struct Events {
    std::function<void()> resized;    ///< the window's size changed
    std::function<void()> suspended;  ///< Ctrl-Z: restore the terminal
    std::function<void()> resumed;    ///< take the terminal again
  };

  /// Handles SIGINT, SIGWINCH and SIGTSTP until it is destroyed.
  explicit KeyReader(Events events);
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  /// The character for Ctrl-C. A byte that is not UTF-8 is kRawByte + byte.
  static constexpr wchar_t kInterrupt = 3;
  static constexpr wchar_t kRawByte = 0xdc00;

  /// Reads the next character. Returns 1, 0 at the end of input, or -1 if reading fails.
  int next(wchar_t& character);

 private:
  int next_byte(unsigned char& byte);
  bool wait();  // False: Ctrl-C.
  void suspend();

  Events events_;
  sigset_t before_{};  // The mask while waiting.
  struct sigaction old_interrupt_ {};
  struct sigaction old_resize_ {};
  struct sigaction old_stop_ {};
  std::string torn_;  // Bytes that began a character and did not continue as one.
};

/// Converts KeyReader's characters to UTF-8.
std::string to_bytes(std::wstring_view text);

/// Converts UTF-8 to KeyReader's characters.
std::wstring to_characters(std::string_view bytes);

}  // namespace spoor::cli
