#include "trace/step.h"

namespace spoor::trace {

std::string_view name_of(Reason::Source source) {
  switch (source) {
    case Reason::Source::none:
      return "none";
    case Reason::Source::rationale:
      return "rationale";
    case Reason::Source::thinking:
      return "thinking";
    case Reason::Source::prose:
      return "prose";
    case Reason::Source::description:
      return "description";
  }
  return {};
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::refused:
      return "refused";
    case Outcome::unanswered:
      return "unanswered";
  }
  return {};
}

}  // namespace spoor::trace
