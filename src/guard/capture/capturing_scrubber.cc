#include "guard/capture/capturing_scrubber.h"

#include <algorithm>
#include <utility>

#include "compile/turn.h"
#include "guard/capture/structure.h"

namespace spoor::guard {

using compile::Slot;

Result<std::string> CapturingScrubber::text(Capture mode, Slot slot, std::string bytes) const {
  switch (mode) {
    case Capture::full:
      return bytes;
    case Capture::redacted:
      return redactor_.scrub(slot, std::move(bytes));
    case Capture::hashed:
      return hasher_.hashed(bytes);
  }
  return bytes;
}

// A JSON object stays an object; a commitment is one too.
Result<std::string> CapturingScrubber::object(Capture mode, std::string json) const {
  return json.empty() ? json : TRY(text(mode, Slot::fields, std::move(json)));
}

Result<std::string> CapturingScrubber::fields(std::string json) const {
  const FieldModes& modes = modes_;
  const bool is_even = modes.arguments == modes.all && modes.rationale == modes.all;
  if (is_even && modes.all != Capture::hashed) {
    return text(modes.all, Slot::fields, std::move(json));
  }
  compile::Fields fields = TRY(compile::read_fields(json));
  if (fields.tool_calls) {
    for (compile::ToolCall& call : *fields.tool_calls) {
      call.arguments = TRY(text(modes.arguments, Slot::text, std::move(call.arguments)));
    }
  }
  fields.rationale = TRY(object(modes.rationale, std::move(fields.rationale)));
  // Settings control compilation, so they stay readable, without secrets.
  const Capture others = std::min(modes.all, Capture::redacted);
  fields.set = TRY(object(others, std::move(fields.set)));
  for (std::string* word : {&fields.call_id, &fields.name, &fields.role, &fields.format}) {
    *word = TRY(text(others, Slot::name, std::move(*word)));
  }
  if (fields.tool_calls) {
    for (compile::ToolCall& call : *fields.tool_calls) {
      call.id = TRY(text(others, Slot::name, std::move(call.id)));
      call.name = TRY(text(others, Slot::name, std::move(call.name)));
    }
  }
  return compile::write_fields(fields);
}

Result<std::string> CapturingScrubber::labels(std::string json) const {
  const Capture mode = modes_.labels;
  if (mode != Capture::hashed) return text(mode, Slot::extra, std::move(json));
  compile::Extra extra = TRY(compile::read_extra(json));
  extra.message = TRY(hasher_.hashed(extra.message));
  extra.metadata = TRY(object(mode, std::move(extra.metadata)));
  for (std::string& tag : extra.tags) tag = TRY(hasher_.hashed(tag));
  return compile::write_extra(extra);
}

Result<std::string> CapturingScrubber::scrub(Slot slot, std::string bytes) const {
  if (bytes.empty() || modes_.is_full()) return bytes;
  const Capture others = std::min(modes_.all, Capture::redacted);
  switch (slot) {
    case Slot::text:
      return text(modes_.text, slot, std::move(bytes));
    case Slot::raw:
      return text(modes_.raw, slot, std::move(bytes));
    case Slot::attachment:
      return text(modes_.attachments, slot, std::move(bytes));
    case Slot::fields:
      return fields(std::move(bytes));
    case Slot::extra:
      return labels(std::move(bytes));
    case Slot::facts:
      if (modes_.all == Capture::hashed) {
        bytes = TRY(facts_without_texts(bytes, hasher_));
      } else if (modes_.arguments == Capture::hashed) {
        bytes = TRY(facts_without_path(bytes, hasher_));
      }
      return text(others, slot, std::move(bytes));
    case Slot::request:
      if (modes_.text == Capture::hashed) return request_without_texts(bytes, hasher_);
      return text(modes_.text, Slot::fields, std::move(bytes));
    case Slot::name:
      return text(others, slot, std::move(bytes));
    case Slot::options:
      return text(others, Slot::fields, std::move(bytes));
  }
  return bytes;
}

Result<std::shared_ptr<const compile::Scrubber>> CapturingScrubber::at_least(Capture least) const {
  std::shared_ptr<const compile::Scrubber> other;
  if (least > modes_.all) {
    other = std::make_shared<const CapturingScrubber>(modes_.at_least(least), redactor_, hasher_);
  }
  return other;
}

Result<std::optional<store::Oid>> CapturingScrubber::digest_of(std::string_view body) const {
  // With an unkeyed digest, guesses at a short prompt could be tested.
  if (modes_.raw != Capture::hashed) return std::optional<store::Oid>();
  return std::optional(TRY(hasher_.commitment(body)).mac);
}

Result<std::optional<store::Oid>> CapturingScrubber::keyed_digest_of(std::string_view body) const {
  const auto made = hasher_.commitment(body);
  if (made) return std::optional(made->mac);
  if (made.error().code == Error::Code::denied) return std::optional<store::Oid>();
  return made.error();
}

}  // namespace spoor::guard
