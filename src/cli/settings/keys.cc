#include "cli/settings/keys.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/random.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kPrivate = "private";          // The id of a private store.
constexpr std::string_view kRedaction = "redaction.key";  // The id of its key.
constexpr std::string_view kSigning = "signing.key";      // Likewise.
constexpr std::string_view kCapture = "capture.key";      // Likewise.
constexpr std::string_view kLog = "log.key";              // Likewise.
constexpr std::string_view kLogSuffix = ".log";
constexpr std::size_t kKeyBytes = 32;
constexpr unsigned kOwnerOnly = 0600;

Result<std::string> key_path(const std::string& id, Config& config,
                             const Environment& environment) {
  std::string folder = TRY(config.get("keys.directory")).text;
  if (folder.empty()) {
    const std::string home = data_home(environment);
    if (home.empty()) {
      return not_found("no folder for keys",
                       "set HOME, or name one with 'spoor config keys.directory DIR'");
    }
    folder = home + "/keys";
  }
  return folder + "/" + id;
}

// Reads the key in a file; nullopt if the file does not exist.
Result<std::optional<std::string>> read_key(const std::string& path) {
  const auto text = TRY(read_file(path));
  if (!text) return std::optional<std::string>();
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && (about.st_mode & 077) != 0) {
    return invalid(fmt::format("other users can read the key '{}'", path),
                   fmt::format("chmod 600 '{}'", path));
  }
  const auto key = store::Oid::from_hex(std::string_view(*text).substr(0, 2 * kKeyBytes));
  if (!key || text->size() > 2 * kKeyBytes + 1) {
    return invalid(fmt::format("'{}' does not contain a key", path));
  }
  return std::optional(std::string(key->view()));
}

Result<std::string> read_or_create_key(const std::string& path) {
  if (const auto key = TRY(read_key(path))) return *key;
  const std::string key = TRY(random_bytes(kKeyBytes));
  const auto created = create_file(path, hex_digits(key) + "\n", kOwnerOnly);
  if (created) return key;
  // Another process may have been first.
  if (const auto other = TRY(read_key(path))) return *other;
  return created.error();
}

// Returns the path of a file of this store, next to the keys of private stores, with a name from
// the id that the store keeps under `fact`. Creates it, with a new key as its first line, if the
// store has no such id yet.
Result<std::string> own_file(store::Store& store, std::string_view fact, std::string_view suffix,
                             Config& config, const Environment& environment) {
  auto id = TRY(store.property(fact));
  if (!id) {
    TRY(store.exclusive([&]() -> Result<void> {  // Two processes may need it first at once.
      id = TRY(store.property(fact));
      if (id) return {};
      const std::string made = TRY(random_id());
      const std::string path = TRY(key_path(made + std::string(suffix), config, environment));
      TRY(create_file(path, hex_digits(TRY(random_bytes(kKeyBytes))) + "\n", kOwnerOnly));
      TRY(store.set_property(fact, made));
      id = made;
      return {};
    }));
  }
  if (id->find_first_not_of("0123456789abcdef") != std::string::npos) {
    return corrupt(fmt::format("the store's '{}' is malformed", fact));
  }
  return key_path(*id + std::string(suffix), config, environment);
}

}  // namespace

Result<std::optional<std::string>> private_store_id(const store::Store& store) {
  auto id = TRY(store.property(kPrivate));
  if (id && id->find_first_not_of("0123456789abcdef") != std::string::npos) {
    return corrupt("the store's id is malformed");  // It becomes a part of a path.
  }
  return id;
}

Result<std::optional<PrivateKey>> find_key(const store::Store& store, Config& config,
                                           const Environment& environment) {
  const auto id = TRY(private_store_id(store));
  if (!id) return std::optional<PrivateKey>();
  const std::string path = TRY(key_path(*id, config, environment));
  auto key = TRY(read_key(path));
  if (!key) return std::optional<PrivateKey>();
  return std::optional(PrivateKey{std::move(*key), path});
}

Result<PrivateKey> make_private(store::Store& store, Config& config,
                                const Environment& environment) {
  const std::string id = TRY(random_id());
  PrivateKey key;
  key.bytes = TRY(random_bytes(kKeyBytes));
  key.path = TRY(key_path(id, config, environment));
  TRY(create_file(key.path, hex_digits(key.bytes) + "\n", kOwnerOnly));
  TRY(store.set_property(kPrivate, id));
  return key;
}

Result<std::string> redaction_key_path(store::Store& store, Config& config,
                                       const Environment& environment) {
  return own_file(store, kRedaction, ".redaction", config, environment);
}

Result<std::string> capture_key(store::Store& store, Config& config,
                                const Environment& environment) {
  const std::string path = TRY(own_file(store, kCapture, ".capture", config, environment));
  const auto key = TRY(read_key(path));
  if (key) return *key;
  return denied(fmt::format("the key of this store's hashes is missing: '{}'", path),
                "restore it; without it the store can only be read");
}

Result<bool> has_capture_key(const store::Store& store) {
  return TRY(store.property(kCapture)).has_value();
}

Result<std::string> signing_key(store::Store& store, Config& config,
                                const Environment& environment) {
  // Signatures carry the public half, so what an earlier key signed can still be checked.
  return read_or_create_key(TRY(own_file(store, kSigning, ".signing", config, environment)));
}

Result<LogKey> log_key(store::Store& store, bool is_new, Config& config,
                       const Environment& environment) {
  if (is_new) TRY(store.set_property(kLog, std::nullopt));
  const std::string path = TRY(own_file(store, kLog, kLogSuffix, config, environment));
  const std::string id = TRY(store.property(kLog)).value_or("");
  auto key = TRY(read_key(path));
  if (!key) {
    return denied(fmt::format("the key of this store's log is missing: '{}'", path),
                  "restore it, or begin another log with 'spoor checkpoint --new-key'");
  }
  const std::string remembered = TRY(key_path(id + ".checkpoint", config, environment));
  return LogKey{std::move(*key), "spoor/" + id, remembered};
}

Result<std::string> cache_key(Config& config, const Environment& environment) {
  return read_or_create_key(TRY(key_path("cache.key", config, environment)));
}

}  // namespace spoor::cli
