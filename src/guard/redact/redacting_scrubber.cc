#include "guard/redact/redacting_scrubber.h"

#include <array>
#include <string_view>

#include "base/json/writer.h"
#include "base/utf8.h"

namespace spoor::guard {
namespace {

using compile::Slot;

// Returns true for pictures, sounds, films and packed files, which a changed byte would break.
// Knows them by their first bytes, from the formats' specifications (PNG, JFIF, GIF89a, RIFF, PDF,
// ZIP, gzip, zstd, MP4, Ogg, ID3). Bytes that are entirely text are text, whatever their beginning.
bool is_binary_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  const bool is_text = bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
  if (is_text) return false;
  constexpr std::array kBeginnings = {
      "\x89PNG\r\n"sv, "\xff\xd8\xff"sv,     "GIF8"sv, "RIFF"sv, "%PDF-"sv, "PK\x03\x04"sv,
      "\x1f\x8b"sv,    "\x28\xb5\x2f\xfd"sv, "OggS"sv, "ID3"sv};
  for (const std::string_view beginning : kBeginnings) {
    if (bytes.starts_with(beginning)) return true;
  }
  return bytes.size() >= 8 && bytes.substr(4, 4) == "ftyp"sv;
}

}  // namespace

RedactingScrubber::RedactingScrubber(MakeRules make_rules, std::unique_ptr<Numbering> numbers)
    : make_rules_(std::move(make_rules)), numbers_(std::move(numbers)) {}

Result<const Redactor*> RedactingScrubber::redactor() const {
  std::call_once(once_, [this] {
    auto made = make_rules_();
    if (!made) {
      problem_ = made.error();
      problem_->code = Error::Code::denied;  // The write must not happen.
      return;
    }
    rules_ = std::move(made).value();
    redactor_.emplace(*rules_, *numbers_);
  });
  if (problem_) return *problem_;
  return &*redactor_;
}

Result<std::string> RedactingScrubber::scrub(Slot slot, std::string bytes) const {
  if (slot == Slot::attachment && is_binary_format(bytes)) return bytes;
  const Redactor* redactor = TRY(this->redactor());
  const bool is_canonical = slot == Slot::fields || slot == Slot::extra || slot == Slot::facts;
  if (!is_canonical) return redactor->redact(std::move(bytes));
  std::string clean = TRY(redactor->redact(bytes));
  if (clean == bytes) return bytes;
  return json::canonical(clean);  // Keys may have changed their order.
}

}  // namespace spoor::guard
