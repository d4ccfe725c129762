#include "agent/builtin/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace spoor::agent::builtin {
namespace {

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1U << 0U;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }

constexpr std::uint64_t kExecute = bit(0);
constexpr std::uint64_t kWriteFile = bit(1);
constexpr std::uint64_t kReadFile = bit(2);
constexpr std::uint64_t kReadFolder = bit(3);
constexpr std::uint64_t kRefer = bit(13);     // Version 2.
constexpr std::uint64_t kTruncate = bit(14);  // 3.
constexpr std::uint64_t kIoctl = bit(15);     // 5.
constexpr std::uint64_t kTcp = bit(0) | bit(1);
constexpr std::uint64_t kScopes = bit(0) | bit(1);

struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // 4.
  std::uint64_t scopes = 0;   // 6.
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t file = -1;
};

constexpr std::uint64_t known_rights(int version) {
  std::uint64_t rights = kRefer - 1;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctl;
  return rights;
}

std::uint64_t rights_of(LandlockRule::May may, int version, bool is_folder) {
  std::uint64_t rights = kExecute | kReadFile | kReadFolder;
  if (may == LandlockRule::May::write) rights = known_rights(version) & ~kIoctl;
  if (may == LandlockRule::May::use_device) rights = kReadFile | kWriteFile | kTruncate | kIoctl;
  if (!is_folder) rights &= kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;
  return rights & known_rights(version);
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return static_cast<int>(std::clamp<long>(version, 0, kNewestLandlock));
}

Result<Descriptor> make_landlock(int version, const std::vector<LandlockRule>& rules,
                                 bool network) {
  RulesetAttributes attributes;
  attributes.files = known_rights(version);
  if (version >= 4 && !network) attributes.network = kTcp;
  if (version >= 6) attributes.scopes = kScopes;
  const std::size_t size = version >= 6   ? sizeof attributes
                           : version >= 4 ? 2 * sizeof(std::uint64_t)
                                          : sizeof(std::uint64_t);
  Descriptor set(static_cast<int>(::syscall(kCreateRuleset, &attributes, size, 0)));
  if (!set) {
    return io_error(fmt::format("cannot make Landlock rules: {}", std::strerror(errno)));
  }
  for (const LandlockRule& rule : rules) {
    const Descriptor file(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!file) continue;
    if (const int problem = add_landlock(set.number(), version, file.number(), rule.may)) {
      return io_error(fmt::format("cannot make a Landlock rule for '{}': {}", rule.path,
                                  std::strerror(problem)));
    }
  }
  return set;
}

int add_landlock(int set, int version, int file, LandlockRule::May may) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return errno;
  const PathBeneath rule{rights_of(may, version, S_ISDIR(found.st_mode)), file};
  return ::syscall(kAddRule, set, kPathBeneath, &rule, 0) == 0 ? 0 : errno;
}

int enter_landlock(int set) { return ::syscall(kRestrictSelf, set, 0) == 0 ? 0 : errno; }

}  // namespace spoor::agent::builtin
