#pragma once

#include <string>
#include <string_view>

// Texts of a run in HTML and Markdown documents. All are escaped and have no effect as markup.
namespace spoor::report::debrief {

/// Returns a text as HTML, for an element or an attribute: escaped; characters that control a
/// terminal or change the direction of text are shown by their code, bytes that are not UTF-8 as
/// U+FFFD.
std::string html_text(std::string_view raw);

/// Does the same on one line.
std::string html_line(std::string_view raw);

/// Returns a page up to its body: no script, no external content, and a content security policy
/// that allows neither. `style` is added to the style of every page; it must not contain `<`.
std::string html_head(std::string_view title, std::string_view style);
std::string html_end();

/// Returns `raw` on one line, with a backslash before everything that Markdown, HTML or a link
/// finder might interpret.
std::string markdown_line(std::string_view raw);

}  // namespace spoor::report::debrief
