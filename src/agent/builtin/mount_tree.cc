#include "agent/builtin/mount_tree.h"

#include <sys/stat.h>

namespace spoor::agent::builtin {

void MountTree::way_to(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    steps_.push_back({Step::Kind::folder, {}, inside(path.substr(0, end))});
  }
}

void MountTree::bind(const std::string& from, const std::string& to, May may) {
  struct stat found {};
  if (::stat(from.c_str(), &found) != 0) return;
  way_to(to);
  steps_.push_back(
      {S_ISDIR(found.st_mode) ? Step::Kind::folder : Step::Kind::file, {}, inside(to)});
  steps_.push_back({Step::Kind::bind, from, inside(to), may == May::read});
}

void MountTree::device(const std::string& path) {
  way_to(path);
  steps_.push_back({Step::Kind::file, {}, inside(path)});
  steps_.push_back({Step::Kind::device, path, inside(path)});
}

void MountTree::freeze(const std::string& path) {
  steps_.push_back({Step::Kind::bind, inside(path), inside(path), true});
}

void MountTree::pin(const std::string& path) {
  steps_.push_back({Step::Kind::bind, inside(path), inside(path)});
}

void MountTree::folder(const std::string& path) {
  way_to(path);
  steps_.push_back({Step::Kind::folder, {}, inside(path)});
}

void MountTree::link(const std::string& to, const std::string& path) {
  way_to(path);
  steps_.push_back({Step::Kind::link, to, inside(path)});
}

void MountTree::memory(const std::string& path) {
  folder(path);
  steps_.push_back({Step::Kind::memory, {}, inside(path)});
}

void MountTree::processes(const std::string& path) {
  folder(path);
  steps_.push_back({Step::Kind::processes, {}, inside(path)});
}

}  // namespace spoor::agent::builtin
