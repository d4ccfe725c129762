#include "base/hidden_text.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/column_width.h"
#include "base/utf8.h"

namespace spoor {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Is `code` in one of `ranges`, which are in order?
bool has_code(std::span<const Range> ranges, char32_t code) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code,
                       [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

constexpr char32_t kNonJoiner = 0x200c;
constexpr char32_t kJoiner = 0x200d;
constexpr char32_t kFirstSelector = 0xfe00;
constexpr char32_t kTextSelector = 0xfe0e;
constexpr char32_t kLastSelector = 0xfe0f;

// In order.
constexpr Range kHidden[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200b},   {0x200e, 0x200f},
    {0x2028, 0x202e},   {0x2060, 0x206f},   {0x2800, 0x2800},   {0x3164, 0x3164},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

// Scripts whose letters join or form clusters, and which therefore use joiners.
constexpr Range kJoining[] = {
    {0x600, 0x8ff},     {0x900, 0xdff},     {0xf00, 0x109f},    {0x1780, 0x18af}, {0x1900, 0x1aaf},
    {0x1b00, 0x1c4f},   {0xa840, 0xa9df},   {0xaa00, 0xabff},   {0xfb50, 0xfdff}, {0xfe70, 0xfefe},
    {0x10a00, 0x10aff}, {0x11000, 0x11fff}, {0x1e900, 0x1e95f},
};

// Unicode's Extended_Pictographic, as blocks, and other characters that are shown as pictures.
constexpr Range kPictographs[] = {
    {0xa9, 0xa9},     {0xae, 0xae},     {0x203c, 0x203c},   {0x2049, 0x2049}, {0x20e3, 0x20e3},
    {0x2122, 0x2122}, {0x2139, 0x2139}, {0x2190, 0x21ff},   {0x2300, 0x23ff}, {0x24c2, 0x24c2},
    {0x25a0, 0x27bf}, {0x2900, 0x297f}, {0x2b00, 0x2bff},   {0x3030, 0x3030}, {0x303d, 0x303d},
    {0x3297, 0x3297}, {0x3299, 0x3299}, {0x1f000, 0x1faff},
};

bool is_selector(char32_t code) { return code >= kFirstSelector && code <= kLastSelector; }

bool takes_selector(char32_t base) {
  return (base >= '0' && base <= '9') || base == '#' || base == '*' || has_code(kPictographs, base);
}

bool begins_with_pictograph(std::string_view text) {
  if (text.empty()) return false;
  const CodePoint next = decode_utf8(text);
  return next.valid && has_code(kPictographs, next.code);
}

}  // namespace

bool is_hidden(char32_t code) { return code >= 0xad && has_code(kHidden, code); }

bool HiddenText::hide(int marks) {
  base_ = 0;
  marks_ = marks;
  has_joiner_ = has_selector_ = false;
  return true;
}

bool HiddenText::take(char32_t code, std::string_view rest) {
  if (is_hidden(code)) return hide(0);
  if (code == kNonJoiner || code == kJoiner) {
    const bool is_of_script = has_code(kJoining, base_);
    const bool is_of_pictures =
        code == kJoiner && has_code(kPictographs, base_) && begins_with_pictograph(rest);
    if (has_joiner_ || !(is_of_script || is_of_pictures)) return hide(0);
    has_joiner_ = true;
    return false;
  }
  if (is_selector(code)) {
    if (has_selector_ || code < kTextSelector || !takes_selector(base_)) return hide(0);
    has_selector_ = true;
    return false;
  }
  const bool is_mark = column_width(code) == 0;
  // A terminal may know a later version of Unicode, and that this is a mark there.
  const bool may_be_mark = is_unassigned(code) && !has_code(kPictographs, code);
  if (!is_mark && !may_be_mark) {
    marks_ = 0;
  } else if (++marks_ > kMostMarks) {
    return hide(marks_);
  }
  has_joiner_ = false;
  if (is_mark) return false;
  base_ = may_be_mark ? 0 : code;
  has_selector_ = false;
  return false;
}

HiddenCount count_hidden(std::string_view text) {
  HiddenCount count;
  HiddenText hidden;
  std::uint64_t run = 0;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    text.remove_prefix(next.length);
    if (!hidden.take(next.valid ? next.code : 0xfffd, text)) {
      run = 0;
      continue;
    }
    ++count.characters;
    if (is_tag_character(next.code)) ++count.tags;
    count.longest_run = std::max(count.longest_run, ++run);
  }
  return count;
}

}  // namespace spoor
