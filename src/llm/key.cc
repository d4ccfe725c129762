#include "llm/key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "compile/known_keys.h"

namespace spoor::llm {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

constexpr std::size_t kLongestKey = 8192;

/// An open file, closed by the destructor.
class File {
 public:
  explicit File(const std::filesystem::path& path)
      // Do not wait for the other end of a pipe. Other than regular files are refused below.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Error why_not(const std::filesystem::path& path) {
  const int problem = errno;
  std::string message = fmt::format("cannot read the key in '{}': {}", path.string(),
                                    std::error_code(problem, std::generic_category()).message());
  return problem == ENOENT ? not_found(std::move(message)) : io_error(std::move(message));
}

Result<void> check_owner_only(const File& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return why_not(path);
  const std::string name = path.string();
  if (!S_ISREG(status.st_mode)) {
    return denied(fmt::format("the key file '{}' is not a regular file", name));
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return denied(fmt::format("the key file '{}' belongs to another user", name));
  }
  if ((status.st_mode & 077U) != 0) {
    return denied(fmt::format("other users can read the key file '{}' (mode {:04o})", name,
                              status.st_mode & 07777U),
                  fmt::format("chmod 600 '{}'", name));
  }
  return {};
}

}  // namespace

Result<Key> make_key(std::string_view text, std::string_view source) {
  const std::string_view secret = trimmed(text, kSpace);
  if (secret.empty()) return denied(fmt::format("{} contains no key", source));
  if (secret.size() > kLongestKey) {
    return invalid(fmt::format("{} contains no key: it is too long", source));
  }
  const auto is_graphic = [](char c) { return c > ' ' && c < '\x7f'; };
  if (!std::ranges::all_of(secret, is_graphic)) {
    return invalid(
        fmt::format("{} contains no key: it has spaces, control characters or bytes beyond ASCII",
                    source),
        "a key is one word");
  }
  Key key;
  key.secret_ = secret;
  compile::know_key(secret);
  return key;
}

Result<Key> key_from_variable(const Profile& profile, const std::optional<std::string>& value) {
  const bool is_set = value && !trimmed(*value, kSpace).empty();
  if (is_set) return make_key(*value, profile.key_variable);
  if (!profile.needs_key) return Key();
  if (profile.key_variable.empty()) {
    return denied(fmt::format("no API key for '{}'", profile.name));
  }
  return denied(fmt::format("no API key for '{}'", profile.name),
                fmt::format("set {}", profile.key_variable));
}

Result<Key> key_from_file(const std::filesystem::path& path) {
  const File file(path);
  if (file.get() < 0) return why_not(path);
  TRY(check_owner_only(file, path));

  std::array<char, kLongestKey + 64> bytes{};
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return why_not(path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return make_key({bytes.data(), size}, fmt::format("the file '{}'", path.string()));
}

std::string without_key(std::string text, const Key& key) {
  if (key.secret().size() < kShortestSecret) return text;
  compile::KnownKey(key.secret()).take_out_of(text);
  return text;
}

}  // namespace spoor::llm
