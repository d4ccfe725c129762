#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "sync/message.h"
#include "sync/requests.h"

namespace spoor::sync {

/// An archive that is being received, in a file: whole parts whose hashes are right, nothing else.
/// If the transfer is cut, even by a kill, the file stays, and the next transfer of the same name
/// goes on after its last part. One process at a time. At most 16 are kept for a store: the oldest
/// that no process has open is dropped for a new one, and those that nothing was added to for a
/// week.
class Spool {
 public:
  /// Opens or makes `FILE-incoming-NAME`; `file` is the store's path. Code::unavailable if another
  /// process has it open, or many others. Code::denied if it is another user's.
  static Result<Spool> open(const std::string& file, const Oid& name);

  /// The hash of the beginning that is here (PartReader::chain()); nullopt: nothing.
  const std::optional<Oid>& chain() const { return chain_; }

  /// Begins to take an archive, which must outlive this. If it goes on, its head is followed by the
  /// part after chain(); else it begins anew. Its parts are added as read() comes to them, so that
  /// verifying does not wait for the transfer, nor the transfer for that. Code::denied in read() if
  /// there are more than `most` bytes.
  Result<void> begin(LineInput& archive, bool goes_on, std::uint64_t most);

  /// Returns the archive from its beginning. The spool must outlive it.
  ByteSource read();

  /// Removes the file: the archive was taken, or refused.
  void discard();

 private:
  Spool(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Result<void> find_end();
  Result<void> add_part();
  Result<void> cut(std::uint64_t size);
  Result<void> append(std::string_view bytes);

  Descriptor file_;
  std::string path_;
  std::string head_;
  std::optional<Oid> chain_;
  std::uint64_t size_ = 0;
  LineInput* coming_ = nullptr;  // The archive that is being taken; null at its end.
  std::uint64_t most_ = 0;
};

/// Returns the fetches of which an unfinished transfer left something next to a store.
std::vector<FetchRequest> begun_fetches(const std::string& file);

/// Returns whether an unfinished transfer left something next to a store.
bool has_spools(const std::string& file);

/// Removes what unfinished transfers left.
void remove_spools(const std::string& file);

}  // namespace spoor::sync
