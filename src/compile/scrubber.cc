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

}  // namespace spoor::compile
