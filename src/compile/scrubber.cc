#include "compile/scrubber.h"

namespace spoor::compile {

std::string_view name_of(Capture capture) {
  switch (capture) {
    case Capture::full:
      return "full";
    case Capture::redacted:
      return "redacted";
    case Capture::hashed:
      return "hashed";
  }
  return "full";
}

std::optional<Capture> capture_from(std::string_view name) {
  for (const Capture capture : {Capture::full, Capture::redacted, Capture::hashed}) {
    if (name == name_of(capture)) return capture;
  }
  return std::nullopt;
}

std::string_view name_of(Slot slot) {
  switch (slot) {
    case Slot::text:
      return "text";
    case Slot::fields:
      return "fields";
    case Slot::extra:
      return "extra";
    case Slot::facts:
      return "facts";
    case Slot::raw:
      return "raw";
    case Slot::attachment:
      return "attachment";
    case Slot::name:
      return "name";
    case Slot::options:
      return "options";
    case Slot::request:
      return "request";
  }
  return "text";
}

Result<std::shared_ptr<const Scrubber>> Scrubber::at_least(Capture least) const {
  if (least <= capture()) return std::shared_ptr<const Scrubber>();
  return denied("no scrubber here supports a stricter capture mode",
                "open the store with a scrubber that supports it");
}

Result<std::optional<store::Oid>> Scrubber::digest_of(std::string_view /*body*/) const {
  return std::optional<store::Oid>();
}

Result<std::optional<store::Oid>> Scrubber::keyed_digest_of(std::string_view /*body*/) const {
  return std::optional<store::Oid>();
}

std::shared_ptr<const std::string> Scrubber::original_of(std::string_view /*stored*/) const {
  return nullptr;
}

}  // namespace spoor::compile
