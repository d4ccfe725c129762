#pragma once

#include <string>
#include <string_view>

#include "trace/event.h"

namespace spoor::trace {

/// A text as an event shows it, where it was captured in `mode`. Bytes that are no UTF-8, halves of
/// surrogate pairs too, become U+FFFD, since an event is I-JSON (RFC 7493).
///
/// redacted: where placeholders stand (trace/placeholder.h). Every word of their form counts
/// as one, of whatever rule: rules may have changed since.
/// In any mode, since a part may be captured more strictly than the whole: the commitment that the
/// store has in place of a text, `{"bytes":…,"hash":"hmac-sha256:…","mode":"hashed"}`. What is none
/// in mode hashed was no text of anybody's, and is shown as it is.
Content content_of(std::string_view text, compile::Capture mode);

/// A content that the source does not tell.
inline Content unknown_content() { return {}; }

/// A content that was erased.
inline Content erased_content() { return {.mode = Content::Mode::erased}; }

/// As people see it: its text, `[hashed, 50 B]`, `[erased]`, `[unknown]`.
std::string shown(const Content& content);

/// The stricter of two modes.
compile::Capture stricter(compile::Capture a, compile::Capture b);

/// `text` with U+FFFD for everything that is no UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace spoor::trace
