#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace spoor::c {

/// The kinds of things that a handle names.
class Handle {
 public:
  /// `owner`: the handle with which this one ends; null: none.
  explicit Handle(std::shared_ptr<Handle> owner = nullptr) : owner_(std::move(owner)) {}
  virtual ~Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const std::shared_ptr<Handle>& owner() const { return owner_; }

  /// Returns true once the handle was closed; a call in progress may still use the object.
  bool is_closed() const { return is_closed_; }
  void mark_closed() { is_closed_ = true; }

 private:
  const std::shared_ptr<Handle> owner_;
  std::atomic<bool> is_closed_ = false;
};

/// A file by device and inode, whatever it is called.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileId&) const = default;
};

// The handles of this process, by the numbers that the program has in place of pointers. A number
// is never given twice, so a closed handle is recognised. All safe from any thread.
//
// A child of fork() begins with an empty table. It leaves the parent's objects alone: their locks
// may be held by threads that do not exist in the child, and their connections are the parent's.

/// Gives an object a number.
std::uintptr_t add_handle(std::shared_ptr<Handle> object);

/// Returns the number of an object as the pointer that the C interface has in its place.
template <class Pointee>
void give_handle(std::shared_ptr<Handle> object, Pointee** handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed.
  *handle = reinterpret_cast<Pointee*>(add_handle(std::move(object)));
}

/// Returns the object. Code::unavailable for a number from before fork(), Code::invalid for one
/// that was not given or was closed.
Result<std::shared_ptr<Handle>> find_handle(std::uintptr_t number);

/// Takes a number and those of the objects that it owns out of the table, and marks them closed.
/// The objects end with the last call that uses them. Errors as find_handle().
Result<std::shared_ptr<Handle>> remove_handle(std::uintptr_t number);

/// Remembers that this process has a store file open. It is never forgotten: SQLite may keep a
/// descriptor for longer than a connection.
void note_open_file(const FileId& file);

/// Returns true if the file was open in the parent when this process was forked.
bool was_open_before_fork(const FileId& file);

/// Returns the object of a handle, if it is a T; errors as find_handle().
template <class T>
Result<std::shared_ptr<T>> find(const void* handle) {
  auto found =
      std::dynamic_pointer_cast<T>(TRY(find_handle(reinterpret_cast<std::uintptr_t>(handle))));
  if (found == nullptr) return invalid("a handle of another kind");
  return found;
}

/// Closes a handle, if it is a T; errors as find_handle(). Returns the object.
template <class T>
Result<std::shared_ptr<T>> close(const void* handle) {
  TRY(find<T>(handle));
  return std::static_pointer_cast<T>(TRY(remove_handle(reinterpret_cast<std::uintptr_t>(handle))));
}

}  // namespace spoor::c
