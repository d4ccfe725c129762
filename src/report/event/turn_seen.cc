#include "report/event/turn_seen.h"

#include <array>

#include "compile/turn.h"
#include "report/event/event.h"
#include "store/erased.h"

namespace spoor::report {

namespace {

constexpr std::size_t kSummaryColumns = 160;

}  // namespace

bool is_absence(const Error& error) {
  using Code = Error::Code;
  return error.code == Code::not_found || error.code == Code::unavailable ||
         error.code == Code::denied;
}

Result<bool> was_erased(const store::Reader& reader, const Oid& oid, std::string_view bytes) {
  if (!store::is_erasure_text(bytes)) return false;
  if (!TRY(reader.erased().reason_of(oid))) return false;
  return !TRY(reader.store().has(std::array{oid}))[0];
}

Result<std::optional<std::string>> bytes_of(const store::Reader& reader, const Oid& oid) {
  auto bytes = reader.content(oid);
  if (bytes) {
    if (TRY(was_erased(reader, oid, **bytes))) return std::optional<std::string>();
    return std::optional(**bytes);
  }
  if (!is_absence(bytes.error())) return bytes.error();
  return std::optional<std::string>();
}

Result<std::optional<std::string>> text_of(const store::Reader& reader, const TurnSeen& turn) {
  if (!turn.commit->content) return std::optional<std::string>();
  return bytes_of(reader, turn.commit->content->oid);
}

Content content_of(const std::optional<std::string>& text, const TurnSeen& turn) {
  if (!text) return turn.commit->content ? erased_content() : unknown_content();
  return content_of(*text, turn.capture);
}

Result<compile::Fields> fields_of(const store::Reader& reader, const TurnSeen& turn) {
  if (!turn.commit->fields) return compile::Fields();
  const auto bytes = TRY(bytes_of(reader, *turn.commit->fields));
  // Fields that are not JSON are a commitment, or cannot be read.
  if (!bytes) return compile::Fields();
  return compile::read_fields(*bytes);
}

Content summary_of(const Content& content) {
  if (content.mode == Content::Mode::full) {
    return content_of(compile::preview(content.text, kSummaryColumns), compile::Capture::full);
  }
  if (content.mode != Content::Mode::redacted) return content;
  // A placeholder that is cut in two does not count.
  std::string line = compile::preview(content.text, kSummaryColumns);
  return content_of(line, compile::Capture::redacted);
}

}  // namespace spoor::report
