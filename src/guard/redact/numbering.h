#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::guard {

/// Numbers secrets, so that one secret has the same placeholder everywhere in a store.
///
/// Safe to call from any thread.
class Numbering {
 public:
  virtual ~Numbering() = default;

  /// Returns 1, 2, 3, … for the secrets of a rule, in the order of their first request. An error
  /// refuses the write.
  virtual Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) = 0;
};

/// A Numbering that forgets. For tests, and for `spoor store redact scan`.
class MemoryNumbering final : public Numbering {
 public:
  Result<std::uint64_t> number_of(std::string_view rule, std::string_view secret) override;

 private:
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::uint64_t, std::less<>>, std::less<>>
      numbers_;  // Guarded by mutex_.
};

/// A Numbering that keeps HMACs of the secrets, never a secret, in its own file (0600) outside the
/// store. The file begins with the key. Without the key, neither the store nor the HMACs allow
/// guesses to be tested, so a store that is given away reveals nothing.
///
/// The first line is `KEY`, 64 hex digits. Each secret adds a line `HMAC RULE NUMBER`: the first 32
/// digits of the HMAC-SHA-256 of rule, a zero byte and secret under the key. Lines are only ever
/// added, each in one write under a lock on the file, so several processes may share it.
class NumberFile final : public Numbering {
 public:
  /// Does not open the file until the first request, which returns Code::denied if the file does
  /// not exist: numbers would be assigned again.
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
  std::uint64_t read_ = 0;                                     // bytes of the file that were read
  std::map<std::string, std::uint64_t, std::less<>> numbers_;  // by HMAC
  std::map<std::string, std::uint64_t, std::less<>> last_;     // by rule
};

}  // namespace spoor::guard
