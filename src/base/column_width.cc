#include "base/column_width.h"

#include <utf8proc.h>

namespace spoor {
namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

// Later versions of Unicode add emoji and ideographs here, and little else.
bool is_for_wide_characters(char32_t code) { return code >= 0x1f000 && code < 0x40000; }

}  // namespace

int column_width(char32_t code) {
  if (code < 0x300) return 1;
  switch (category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
      return 0;
    case UTF8PROC_CATEGORY_CN:
      return is_for_wide_characters(code) ? 2 : 1;
    default:
      // A vowel or final consonant is drawn within its syllable.
      if (code >= 0x1160 && code < 0x1200) return 0;
      // utf8proc has 0 for spacing marks, of which terminals draw each in a column.
      return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)) == 2 ? 2 : 1;
  }
}

bool is_unassigned(char32_t code) { return category(code) == UTF8PROC_CATEGORY_CN; }

}  // namespace spoor
