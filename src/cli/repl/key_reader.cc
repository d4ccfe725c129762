#include "cli/repl/key_reader.h"

#include <cerrno>
#include <utility>

#include <unistd.h>

#include "base/os/signals.h"
#include "base/utf8.h"

namespace spoor::cli {
namespace {

// Set by the signal handler.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t stopped = 0;

extern "C" void on_key_signal(int signal) {
  if (signal == SIGINT) interrupted = 1;
  if (signal == SIGWINCH) resized = 1;
  if (signal == SIGTSTP) stopped = 1;
}

bool is_raw_byte(wchar_t c) {
  return c >= KeyReader::kRawByte + 0x80 && c <= KeyReader::kRawByte + 0xff;
}

std::size_t length_from(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc2 ? 2 : 1;
}

}  // namespace

KeyReader::KeyReader(Events events) : events_(std::move(events)) {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGWINCH, SIGTSTP}) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  struct sigaction action {};
  action.sa_handler = on_key_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGWINCH, &action, &old_resize_);
  ::sigaction(SIGTSTP, &action, &old_stop_);
}

KeyReader::~KeyReader() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGWINCH, &old_resize_, nullptr);
  ::sigaction(SIGTSTP, &old_stop_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int KeyReader::next(wchar_t& character) {
  std::string bytes = std::exchange(torn_, {});
  while (true) {
    if (bytes.empty() || bytes.size() < length_from(static_cast<unsigned char>(bytes[0]))) {
      unsigned char byte = 0;
      if (const int got = next_byte(byte); got != 1) return got;
      if (bytes.empty() && byte < 0x80) {
        character = byte;
        return 1;
      }
      bytes += static_cast<char>(byte);
    }
    const bool is_torn =
        bytes.size() > 1 && (static_cast<unsigned char>(bytes.back()) & 0xc0) != 0x80;
    if (!is_torn && bytes.size() < length_from(static_cast<unsigned char>(bytes[0]))) continue;
    const CodePoint point = decode_utf8(bytes);
    const std::size_t used = point.valid ? point.length : 1;
    character = point.valid ? static_cast<wchar_t>(point.code)
                            : kRawByte + static_cast<unsigned char>(bytes[0]);
    torn_ = bytes.substr(used);
    return 1;
  }
}

int KeyReader::next_byte(unsigned char& byte) {
  while (true) {
    if (!wait()) {
      byte = static_cast<unsigned char>(kInterrupt);
      return 1;
    }
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count >= 0) return static_cast<int>(count);
    if (errno != EINTR && errno != EAGAIN) return -1;
  }
}

bool KeyReader::wait() {
  while (os::wait_for_bytes(STDIN_FILENO, before_) < 0) {
    if (std::exchange(interrupted, 0) != 0) return false;
    if (std::exchange(resized, 0) != 0) events_.resized();
    if (std::exchange(stopped, 0) != 0) suspend();
  }
  return true;
}

void KeyReader::suspend() {
  events_.suspended();
  struct sigaction ours {};
  ::sigaction(SIGTSTP, &old_stop_, &ours);
  ::raise(SIGTSTP);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, SIGTSTP);
  ::pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);  // The process stops here.
  ::pthread_sigmask(SIG_BLOCK, &unblocked, nullptr);
  ::sigaction(SIGTSTP, &ours, nullptr);
  events_.resumed();
}

std::string to_bytes(std::wstring_view text) {
  std::string out;
  for (const wchar_t c : text) {
    if (is_raw_byte(c)) {
      out += static_cast<char>(c - KeyReader::kRawByte);
    } else {
      append_utf8(out, static_cast<char32_t>(c));
    }
  }
  return out;
}

std::wstring to_characters(std::string_view bytes) {
  std::wstring out;
  while (!bytes.empty()) {
    const CodePoint next = decode_utf8(bytes);
    if (next.valid) {
      out += static_cast<wchar_t>(next.code);
    } else {
      for (const char c : bytes.substr(0, next.length)) {
        out += static_cast<wchar_t>(KeyReader::kRawByte + static_cast<unsigned char>(c));
      }
    }
    bytes.remove_prefix(next.length);
  }
  return out;
}

}  // namespace spoor::cli
