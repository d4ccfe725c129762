#include "proof/note.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/big_endian.h"
#include "base/utf8.h"
#include "proof/take_line.h"
#include "store/sha256.h"

namespace spoor::proof {
namespace {

constexpr std::string_view kDash = "\u2014 ";
constexpr std::size_t kIdBytes = 4;
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kMaxSignatures = 256;

bool is_key_name(std::string_view name) {
  for (std::string_view rest = name; !rest.empty();) {
    const CodePoint next = decode_utf8(rest);
    if (!next.valid || next.code == '+' || is_control(next.code) ||
        is_blank_or_invisible(next.code)) {
      return false;
    }
    rest.remove_prefix(next.length);
  }
  return !name.empty();
}

std::optional<NoteSignature> parse_signature(std::string_view line) {
  if (!line.starts_with(kDash)) return std::nullopt;
  line.remove_prefix(kDash.size());
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || !is_key_name(line.substr(0, blank))) return std::nullopt;
  const auto bytes = decode_base64(line.substr(blank + 1));
  if (!bytes || bytes->size() <= kIdBytes) return std::nullopt;
  const auto id = static_cast<std::uint32_t>(big_endian(bytes->substr(0, kIdBytes)));
  return NoteSignature{std::string(line.substr(0, blank)), id, bytes->substr(kIdBytes)};
}

std::string line_of(const NoteSignature& signature) {
  std::string bytes;
  append_big_endian(bytes, signature.id, kIdBytes);
  bytes += signature.bytes;
  return fmt::format("{}{} {}\n", kDash, signature.name, encode_base64(bytes));
}

std::string algorithm_and_key(const VerifierKey& key) {
  std::string bytes(1, static_cast<char>(key.signs));
  return bytes.append(key.key.begin(), key.key.end());
}

std::optional<std::uint64_t> seconds_of(const NoteSignature& signature) {
  if (signature.bytes.size() < kTimeBytes) return std::nullopt;
  const std::uint64_t seconds = big_endian(std::string_view(signature.bytes).substr(0, kTimeBytes));
  if (seconds > std::uint64_t{kLastMicro} / 1'000'000) return std::nullopt;
  return seconds;
}

bool is_by(const NoteSignature& signature, const VerifierKey& key, std::string_view text) {
  std::string_view bytes = signature.bytes;
  std::string message(text);
  if (key.signs == VerifierKey::Signs::cosignatures) {
    const auto seconds = seconds_of(signature);
    if (!seconds) return false;
    message = fmt::format("cosignature/v1\ntime {}\n{}", *seconds, text);
    bytes.remove_prefix(kTimeBytes);
  }
  store::Signature raw{};
  if (bytes.size() != raw.size()) return false;
  std::copy(bytes.begin(), bytes.end(), raw.begin());
  return store::is_signature(key.key, message, raw);
}

}  // namespace

std::string serialize(const Note& note) {
  std::string out = note.text + '\n';
  for (const NoteSignature& signature : note.signatures) out += line_of(signature);
  return out;
}

Result<std::vector<NoteSignature>> parse_signatures(std::string_view lines) {
  std::vector<NoteSignature> found;
  while (!lines.empty()) {
    auto signature = parse_signature(take_line(lines).value_or(""));
    if (!signature) return invalid("malformed line of a signature");
    if (found.size() == kMaxSignatures) return invalid("a note with more than 256 signatures");
    found.push_back(std::move(*signature));
  }
  return found;
}

Result<Note> parse_note(std::string_view bytes) {
  const std::size_t blank = bytes.rfind("\n\n");
  const bool has_controls = std::any_of(bytes.begin(), bytes.end(),
                                        [](unsigned char c) { return c < 0x20 && c != '\n'; });
  if (blank == std::string_view::npos || has_controls || !is_utf8(bytes)) {
    return invalid("not a signed note", "see https://c2sp.org/signed-note");
  }
  Note note;
  note.signatures = TRY(parse_signatures(bytes.substr(blank + 2)));
  if (note.signatures.empty()) return invalid("a note without a signature");
  note.text = bytes.substr(0, blank + 1);
  return note;
}

std::uint32_t id_of(const VerifierKey& key) {
  const store::Oid hash = store::sha256(key.name, "\n", algorithm_and_key(key));
  return static_cast<std::uint32_t>(big_endian(hash.view().substr(0, kIdBytes)));
}

std::string serialize(const VerifierKey& key) {
  return fmt::format("{}+{:08x}+{}", key.name, id_of(key), encode_base64(algorithm_and_key(key)));
}

Result<VerifierKey> parse_verifier_key(std::string_view text) {
  const std::size_t first = text.find('+');
  const std::size_t second = first == std::string_view::npos ? first : text.find('+', first + 1);
  if (second != std::string_view::npos && is_key_name(text.substr(0, first))) {
    VerifierKey key{std::string(text.substr(0, first))};
    const auto bytes = decode_base64(text.substr(second + 1));
    if (bytes && bytes->size() == 1 + key.key.size()) {
      key.signs = static_cast<VerifierKey::Signs>(bytes->front());
      std::copy(bytes->begin() + 1, bytes->end(), key.key.begin());
    }
    const bool is_known =
        key.signs == VerifierKey::Signs::notes || key.signs == VerifierKey::Signs::cosignatures;
    if (is_known && serialize(key) == text) return key;
  }
  return invalid(fmt::format("'{}' is not a verifier key", text),
                 "print this store's with 'spoor checkpoint --key'");
}

Result<NoteSignature> sign_note(std::string_view text, const std::string& name,
                                std::string_view secret_key) {
  const store::PublicKey bytes = TRY(store::public_key_of(secret_key));
  const VerifierKey key{name, VerifierKey::Signs::notes, bytes};
  const store::Signature made = TRY(store::sign_message(secret_key, text));
  return NoteSignature{name, id_of(key), std::string(made.begin(), made.end())};
}

Result<NoteSignature> signature_by(const Note& note, const VerifierKey& key) {
  const NoteSignature* found = nullptr;
  for (const NoteSignature& each : note.signatures) {
    if (each.name != key.name || each.id != id_of(key)) continue;
    if (!is_by(each, key, note.text)) {
      return corrupt(fmt::format("the signature of '{}' is not genuine", key.name));
    }
    found = &each;
  }
  if (found != nullptr) return *found;
  return not_found(fmt::format("'{}' has not signed it", key.name));
}

Timestamp cosigned_at(const NoteSignature& signature) {
  return {static_cast<std::int64_t>(seconds_of(signature).value_or(0)) * 1'000'000};
}

}  // namespace spoor::proof
