#include "import/words.h"

#include <algorithm>

namespace spoor::import {

std::string plain_word(std::string_view text) {
  std::string word(text.substr(0, 64));
  for (char& c : word) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  return word;
}

std::string ref_word(std::string_view text) {
  std::string word = plain_word(text);
  std::replace(word.begin(), word.end(), '.', '-');
  return word;
}

}  // namespace spoor::import
