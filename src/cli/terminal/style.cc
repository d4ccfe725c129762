#include "cli/terminal/style.h"

#include <array>

namespace spoor::cli {
namespace {

struct Entry {
  Style style;
  std::string_view sgr;
};

// The only theme. In the order of the enumeration, so that a style is its index.
constexpr std::array kTheme = {
    Entry{Style::plain, ""},
    Entry{Style::commit, "33"},
    Entry{Style::commit_unique, "1;33"},
    Entry{Style::added, "32"},
    Entry{Style::removed, "31"},
    Entry{Style::added_word, "1;32"},
    Entry{Style::removed_word, "1;31"},
    Entry{Style::hunk, "36"},
    Entry{Style::branch, "1;32"},
    Entry{Style::tag, "1;33"},
    Entry{Style::head, "1;36"},
    Entry{Style::reasoning, "2"},
    Entry{Style::muted, "2"},
    Entry{Style::strong, "1"},
    Entry{Style::error, "1;31"},
    Entry{Style::warning, "1;33"},
    Entry{Style::hint, "36"},
    Entry{Style::pinned, "35"},
    Entry{Style::edited, "36"},
    Entry{Style::match, "1;31"},
    Entry{Style::system, "1;35"},
    Entry{Style::user, "1;34"},
    Entry{Style::assistant, "1;32"},
    Entry{Style::tool, "1;36"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTheme.size(); ++i) {
    if (static_cast<std::size_t>(kTheme[i].style) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the theme lists the styles in their order");

}  // namespace

std::string_view sgr(Style style) { return kTheme.at(static_cast<std::size_t>(style)).sgr; }

}  // namespace spoor::cli
