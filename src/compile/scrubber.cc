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

}  // namespace spoor::compile
