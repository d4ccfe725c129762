#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// The scheduling priority (setpriority) of what writes the spool and of what records from it: the
/// agent's requests are passed on first.
constexpr int kRecordingNice = 10;

/// A folder of exchanges between the relay, which must not wait, and the recorder, which writes
/// them to a store: a file each, which has its name only when it is complete. Whatever happens to
/// either process, an exchange is recorded once or still lies here.
///
/// Files are not synced: after a power cut the newest may be missing.
class Spool {
 public:
  /// Uses a folder, and makes it (0700) if it is missing.
  static Result<Spool> open(std::string folder);

  const std::string& folder() const { return folder_; }

  /// Adds an exchange. Names are in the order of calls, among all processes of this machine.
  Result<void> put(const Exchange& exchange) const;

  /// Returns the names of the exchanges that are this spool's to record, oldest first: those that
  /// were put by the process that opened it and by its children, and those of processes that have
  /// ended. These go to one recorder at a time: the first that asks, until it ends. It also removes
  /// what such processes had not put completely.
  Result<std::vector<std::string>> names() const;

  /// Returns whether it was put by the process that opened this spool, or a child of it.
  bool is_own(const std::string& name) const;

  /// Locks an exchange until the claim ends, so that two recorders do not record it twice. nullopt:
  /// another has it, or has recorded it.
  using Claim = Descriptor;
  Result<std::optional<Claim>> claim(const std::string& name) const;

  /// Reads one. Code::corrupt if it is not one.
  Result<Exchange> read(const std::string& name) const;

  /// Removes one that was recorded.
  Result<void> remove(const std::string& name) const;

  /// Counts an exchange that is not here, with the reason: one line each in the file `dropped`.
  void note_dropped(std::string_view reason) const;

  /// How many those are, and the last reason; of this process and its children since open(), also
  /// where the disk had no room for the line.
  struct Dropped {
    std::uint64_t count = 0;
    std::string reason;
  };
  Dropped dropped() const;

  /// Moves one that cannot be recorded out of the way, to the folder `refused` within this one.
  Result<void> refuse(const std::string& name) const;

 private:
  explicit Spool(std::string folder);

  bool adopts() const;

  struct Shared;
  std::string folder_;
  std::string owner_;         // The process that opened it.
  Shared* shared_ = nullptr;  // Memory that its children share; never given back.
  mutable Claim adopting_;    // The folder, locked.
};

/// Whether an error may be over when the exchange is recorded again.
bool may_pass(const Error& error);

}  // namespace spoor::proxy
