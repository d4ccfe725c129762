#pragma once

#include <string>
#include <string_view>

// Texts of a run in the documents that are made of them. Nothing of a text is ever heeded.
namespace spoor::report::debrief {

/// A text in HTML, in an element or an attribute: escaped; characters that control a terminal or
/// turn the direction of text are shown by their code, bytes that are no UTF-8 as U+FFFD.
std::string html_text(std::string_view raw);

/// The same on one line.
std::string html_line(std::string_view raw);

/// A page up to its body: no script, nothing from elsewhere, and a content security policy that
/// allows neither. `style` is its own beside what every page has; it must hold no `<`.
std::string html_head(std::string_view title, std::string_view style);
std::string html_end();

/// On one line, with a backslash before all that Markdown, HTML or a finder of links might heed.
std::string markdown_line(std::string_view raw);

}  // namespace spoor::report::debrief
