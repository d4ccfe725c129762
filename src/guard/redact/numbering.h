#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::guard {

/// Gives secrets their numbers, so that the same one has the same placeholder everywhere in a
/// store.
///
/// Safe to call from any thread.
class Numbering {
 public:
  virtual ~Numbering() = default;

  /// 1, 2, 3, … for the secrets of a rule, in the order in which they were first asked for. An
  /// error refuses the write.
  virtual Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) = 0;
};

/// A Numbering that forgets. For tests, and for `spoor redact scan`.
class MemoryNumbering final : public Numbering {
 public:
  Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) override;

 private:
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::uint64_t, std::less<>>, std::less<>>
      numbers_;  // Guarded by mutex_.
};

/// A Numbering that keeps HMACs of the secrets, never a secret, in a file of its own. It lies
/// outside the store (0600) and begins with the key, so that neither store nor file lets anybody
/// try guesses without the key, and a store that is given away tells nothing.
///
/// One line `KEY` of 64 hex digits, then a line `HMAC RULE NUMBER` a secret: the HMAC-SHA-256 of
/// rule, a zero byte and secret under the key, its first 32 digits. Lines are only ever added, each
/// in one write under a lock on the file, so several processes may share it.
class NumberFile final : public Numbering {
 public:
  /// The file is opened at the first question: Code::denied when there is none then, since numbers
  /// that were given before would be given again.
  explicit NumberFile(std::string path) : path_(std::move(path)) {}
  ~NumberFile() override;
  NumberFile(const NumberFile&) = delete;
  NumberFile& operator=(const NumberFile&) = delete;

  Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) override;

 private:
  Result<void> open();
  Result<void> read_on();
  Result<void> take_line(std::string_view line);
  Result<void> append(std::string_view line);

  const std::string path_;
  std::mutex mutex_;
  int file_ = -1;                                              // All guarded by mutex_.
  std::string key_;                                            // 32 bytes
  std::uint64_t read_ = 0;                                     // bytes of the file that are known
  std::map<std::string, std::uint64_t, std::less<>> numbers_;  // by HMAC
  std::map<std::string, std::uint64_t, std::less<>> last_;     // by rule
};

}  // namespace spoor::guard
