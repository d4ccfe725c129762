#pragma once

#include <string>
#include <string_view>

#include "trace/event.h"

namespace spoor::trace {

/// Returns a text, captured in `mode`, as an event shows it. Bytes that are not UTF-8, including
/// halves of surrogate pairs, become U+FFFD, since an event is I-JSON (RFC 7493).
///
/// In mode redacted the content lists its placeholders (trace/placeholder.h). Every word of their
/// form counts, whatever its rule: rules may have changed since. In any mode, the commitment that
/// the store has in place of a text, `{"bytes":…,"hash":"hmac-sha256:…","mode":"hashed"}`, gives a
/// hashed content, since a part may be captured more strictly than the whole. In mode hashed, a
/// text that is not a commitment was not a person's text and is shown unchanged.
Content content_of(std::string_view text, compile::Capture mode);

/// Returns a content that the source does not have.
inline Content unknown_content() { return {}; }

/// Returns a content that was erased.
inline Content erased_content() { return {.mode = Content::Mode::erased}; }

/// Returns what people see: the text, `[hashed, 50 B]`, `[erased]` or `[unknown]`.
std::string shown(const Content& content);

compile::Capture stricter(compile::Capture a, compile::Capture b);

/// Returns `text` with U+FFFD for everything that is not UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace spoor::trace
