#include "c/handles.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace spoor::c {
namespace {

struct Table {
  std::uintptr_t first = 1;  // Numbers below were given before fork().
  std::uintptr_t next = 1;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Handle>> objects;
  std::vector<FileId> files;         // Opened by this process.
  std::vector<FileId> parent_files;  // Open in the parent at fork().
  std::shared_mutex mutex;
};

Table*& table() {
  // Never destroyed: other threads may call until the process ends.
  static Table* the = [] {
    pthread_atfork([] { table()->mutex.lock(); }, [] { table()->mutex.unlock(); },
                   [] {
                     const Table& parent = *table();
                     auto* mine = new Table;
                     mine->first = mine->next = parent.next;
                     mine->parent_files = parent.files;
                     mine->parent_files.insert(mine->parent_files.end(),
                                               parent.parent_files.begin(),
                                               parent.parent_files.end());
                     table() = mine;
                   });
    return new Table;
  }();
  return the;
}

Error no_such_handle(const Table& all, std::uintptr_t number) {
  if (number != 0 && number < all.first) {
    return unavailable("the handle was opened before fork()", "open the store after fork()");
  }
  return invalid(number == 0 ? "the handle is NULL" : "the handle is closed");
}

}  // namespace

std::uintptr_t add_handle(std::shared_ptr<Handle> object) {
  Table& all = *table();
  const std::unique_lock lock(all.mutex);
  all.objects.emplace(all.next, std::move(object));
  return all.next++;
}

Result<std::shared_ptr<Handle>> find_handle(std::uintptr_t number) {
  Table& all = *table();
  const std::shared_lock lock(all.mutex);
  const auto found = all.objects.find(number);
  if (found == all.objects.end()) return no_such_handle(all, number);
  return found->second;
}

Result<std::shared_ptr<Handle>> remove_handle(std::uintptr_t number) {
  std::vector<std::shared_ptr<Handle>> removed;  // These end without the lock.
  Table& all = *table();
  const std::unique_lock lock(all.mutex);
  const auto found = all.objects.find(number);
  if (found == all.objects.end()) return no_such_handle(all, number);
  std::shared_ptr<Handle> object = found->second;
  std::erase_if(all.objects, [&](const auto& each) {
    if (each.second != object && each.second->owner() != object) return false;
    each.second->mark_closed();
    removed.push_back(each.second);
    return true;
  });
  return object;
}

void note_open_file(const FileId& file) {
  Table& all = *table();
  const std::unique_lock lock(all.mutex);
  if (std::ranges::find(all.files, file) == all.files.end()) all.files.push_back(file);
}

bool was_open_before_fork(const FileId& file) {
  Table& all = *table();
  const std::shared_lock lock(all.mutex);
  return std::ranges::find(all.parent_files, file) != all.parent_files.end();
}

}  // namespace spoor::c
