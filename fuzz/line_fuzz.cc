// Any bytes as a line of the interactive session: words lie inside the line and in
// order, each command takes some of it, a quoted word reads back as it was, the
// history's form of a line is one line and gives the line back, and so do the
// characters that the editor works on.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/repl/key_reader.h"
#include "cli/repl/line_history.h"
#include "cli/repl/line_layout.h"
#include "cli/repl/typed_command.h"
#include "cli/repl/words.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

void check_words(std::string_view text) {
  const Words split = split_words(text);
  require(split.end <= text.size());
  std::size_t end = 0;
  for (const Word& word : split.words) {
    require(word.begin >= end && word.begin < word.end && word.end <= split.end);
    end = word.end;
  }
}

void check_commands(std::string_view text, bool has_model) {
  while (!text.empty()) {
    const TypedCommand typed = read_command(text, has_model);
    require(typed.end > 0 && typed.end <= text.size());
    require(typed.is != TypedCommand::Is::turn || has_model);
    text.remove_prefix(typed.end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_words(text);
  check_commands(text, false);
  check_commands(text, true);

  const Words one = split_words(quoted_word(text));
  require(!one.is_open && one.words.size() == 1 && one.words.front().text == text);

  const std::string kept = escaped_line(text);
  require(kept.find('\n') == std::string::npos && unescaped_line(kept) == text);

  const std::wstring characters = to_characters(text);
  require(to_bytes(characters) == text);
  require(row_behind(10, characters, 80) >= 0);
  return 0;
}
