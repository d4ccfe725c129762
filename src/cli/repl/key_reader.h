#pragma once

#include <csignal>
#include <functional>
#include <string>

namespace spoor::cli {

/// Reads keys from standard input, one character at a time, and tells what else
/// happens to a terminal meanwhile. Signals are noticed only while it waits, so that
/// whoever is told may do whatever it likes. For one thread.
class KeyReader {
 public:
  struct Events {
    std::function<void()> resized;    ///< the window has another size
    std::function<void()> suspended;  ///< Ctrl-Z: put the terminal in order
    std::function<void()> resumed;    ///< and take it again
  };

  /// Takes SIGINT, SIGWINCH and SIGTSTP until it is destroyed.
  explicit KeyReader(Events events);
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  /// What Ctrl-C is read as, and what a byte that is no UTF-8 is: kRawByte + byte.
  static constexpr wchar_t kInterrupt = 3;
  static constexpr wchar_t kRawByte = 0xdc00;

  /// The next character: 1; at the end of input 0; -1 when it cannot be read.
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
  std::string torn_;  // Bytes that began a character and did not go on as one.
};

/// UTF-8 from what KeyReader made of it.
std::string to_bytes(std::wstring_view text);

/// And the other way round.
std::wstring to_characters(std::string_view bytes);

}  // namespace spoor::cli
