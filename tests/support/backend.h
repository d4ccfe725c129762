#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

namespace spoor::testing {

/// Bytes that are to stand under a name that is not theirs; nothing: under which
/// nothing is to be stored.
struct Forgery {
  store::Oid oid;
  std::optional<store::Object> object;
};

/// Where a test's store lies: something that outlives an open store, and that
/// can be forged behind its back.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string name() const = 0;

  /// A new, empty store in place of the last one, which must be closed.
  virtual Result<std::unique_ptr<store::Store>> create() = 0;

  /// The same store, opened again.
  virtual Result<std::unique_ptr<store::Store>> open() = 0;

  /// Rewrites stored bytes. No index, no log and no cache is told.
  virtual Result<void> forge(const Forgery& forgery) = 0;

  /// Points a branch elsewhere, without an operation.
  virtual Result<void> forge_branch(const std::string& name, const store::Oid& to) = 0;
};

std::unique_ptr<Backend> memory_backend();
std::unique_ptr<Backend> sqlite_backend();

}  // namespace spoor::testing
