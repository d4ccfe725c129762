// Any bytes as what is shown at a terminal, and as the small files that the command line reads on
// its own. Nothing that a terminal might obey comes out, what comes out is UTF-8, and its width is
// the sum of its parts; HEAD, keys and work trees are read as they were meant, or not at all.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "api/head.h"
#include "base/column_width.h"
#include "base/environment.h"
#include "base/hidden_text.h"
#include "base/utf8.h"
#include "cli/git/work_tree.h"
#include "cli/settings/config.h"
#include "cli/settings/keys.h"
#include "cli/terminal/memory_terminal.h"
#include "cli/terminal/output.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/markdown.h"
#include "folder.h"
#include "store/memory_store.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

// UTF-8 in which nothing is obeyed but line ends and tabs, and nothing is hidden that always is.
bool is_harmless(std::string_view text) {
  while (!text.empty()) {
    const spoor::CodePoint next = spoor::decode_utf8(text);
    const bool is_kept = next.code == U'\n' || next.code == U'\t';
    if (!next.valid || spoor::is_hidden(next.code)) return false;
    if (spoor::is_control(next.code) && !is_kept) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string without_colours(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.front() != '\x1b') {
      plain += text.front();
      text.remove_prefix(1);
      continue;
    }
    require(text.starts_with("\x1b["));
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    require(end != std::string_view::npos && text[end] == 'm');
    text.remove_prefix(end + 1);
  }
  return plain;
}

void check_escapes(std::string_view text) {
  const std::string shown = visible(text);
  require(is_harmless(shown));
  require(visible(shown) == shown);
  require(spoor::count_hidden(shown) == spoor::HiddenCount());
  const bool hides = spoor::count_hidden(text).characters > 0;
  if (is_harmless(text) && !hides) require(shown == text);

  for (const std::size_t limit : {std::size_t{4096}, text.size() / 2}) {
    const std::string line = visible_line(text, limit);
    require(is_harmless(line));
    require(line.find_first_of("\n\t") == std::string::npos);
    require(line.find("  ") == std::string::npos && !line.starts_with(' '));
  }
}

void check_output(std::string_view text) {
  for (const bool has_color : {false, true}) {
    MemoryTerminal terminal;
    Output output(terminal, Stream::out);
    output.use(has_color, false);
    output.print(text).print(Style::removed, text);
    output.flush();
    require(has_color || is_harmless(terminal.output));
    const std::string plain = without_colours(terminal.output);
    require(is_harmless(plain));
    // Each line is coloured by itself, so no colour stands in a character or an escape of ours.
    require(plain == visible(text) + visible(text));
  }
}

void check_widths(std::string_view text) {
  const std::string shown = visible(text);
  const int whole = display_width(shown);
  int sum = 0;
  for (std::string_view rest = shown; !rest.empty();) {
    const spoor::CodePoint next = spoor::decode_utf8(rest);
    const int width = column_width(next.code);
    require(width >= 0 && width <= 2);
    require(display_width(rest.substr(0, next.length)) == width);
    sum += width;
    rest.remove_prefix(next.length);
  }
  require(sum == whole);
  require(display_width(text) >= 0);  // Also of what was not made visible.

  for (const int columns : {1, 2, 7, 80}) {
    const std::string cut = truncated(shown, columns);
    require(is_harmless(cut) && display_width(cut) <= columns);
    require((cut == shown) == (whole <= columns));
    require(display_width(padded(shown, columns)) == std::max(whole, columns));
    const char* at = shown.data();
    for (const std::string_view line : wrapped(shown, columns)) {
      require(is_harmless(line) && line.find('\n') == std::string_view::npos);
      const bool is_one = !line.empty() && spoor::decode_utf8(line).length == line.size();
      require(display_width(line) <= columns || is_one);
      // Nothing is lost on the way but the one blank or line end that it was broken at.
      require(line.data() >= at && line.data() <= at + 1);
      require(line.data() == at || *at == ' ' || *at == '\n');
      at = line.data() + line.size();
    }
    require(at == shown.data() + shown.size() || *at == ' ');
  }
}

void check_markdown(std::string_view text) {
  const std::string block = fenced(text, "json");
  const std::size_t fence = block.find_first_not_of('`');
  require(fence >= 3);
  const std::string close = std::string(fence, '`') + "\n";
  require(block.ends_with(close) && block.substr(fence).starts_with("json\n"));
  const std::size_t begin = fence + 5;
  const std::string_view inside =
      std::string_view(block).substr(begin, block.size() - begin - close.size());
  require(inside.starts_with(text) && inside.size() <= text.size() + 1);
  require(inside.find(std::string(fence, '`')) == std::string_view::npos);

  const std::string code = inline_code(text);
  require(is_harmless(code) && code.find('\n') == std::string::npos);
  const std::size_t ticks = code.find(' ');
  const std::string mark(ticks, '`');
  require(ticks >= 1 && code.starts_with(mark + " ") && code.ends_with(" " + mark));
  require(code.find(mark, ticks) == code.size() - ticks);
}

void check_head(std::string_view text) {
  const auto head = api::read_head(text);
  if (head) require(api::write_head(*head) == text);
}

void check_work_tree(const fuzz::Folder& folder, std::string_view text) {
  const std::string tree = folder / "tree";
  const std::string below = tree + "/below";
  std::filesystem::create_directories(below);
  std::filesystem::create_directories(folder / "git");
  fuzz::write_file(folder / "git/HEAD", text);

  // A folder whose HEAD says anything, and a file that names anything.
  for (const std::string& said : {std::string("gitdir: ../git\n"), std::string(text)}) {
    fuzz::write_file(tree + "/.git", said);
    const auto found = git::find_work_tree(below);
    if (said != text) require(found.has_value());
    if (!found || found->folder != tree) continue;
    require(found->branch.find_first_of("\r\n") == std::string::npos);
    if (said != text && !found->branch.empty()) {
      require(text.starts_with("ref: refs/heads/" + found->branch));
    }
  }
}

void check_keys(const fuzz::Folder& folder, std::string_view text) {
  constexpr const char* kId = "ab12";
  MapEnvironment environment;
  Config config(environment);
  config.choose("keys.directory", folder / "keys");
  std::filesystem::create_directories(folder / "keys");

  const auto find_with = [&](std::string_view id) {
    store::MemoryStore store;
    require(store.set_property("private", std::string(id)).has_value());
    auto key = find_key(store, config, environment);
    if (!key) require(!key.error().message.empty());
    if (key && *key) require((*key)->bytes.size() == 32 && (*key)->path.ends_with(id));
    return key;
  };
  const std::string path = folder / "keys/" + kId;
  fuzz::write_file(path, text);
  require(::chmod(path.c_str(), 0600) == 0);
  const auto key = find_with(kId);
  if (key) require(*key && (text.size() == 64 || text.size() == 65));

  // What a store says of its own id becomes a part of a path: digits, or an error.
  const auto other = find_with(text);
  if (text.find_first_not_of("0123456789abcdef") != std::string_view::npos) require(!other);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const fuzz::Folder folder;
  check_escapes(text);
  check_output(text);
  check_widths(text);
  check_markdown(text);
  check_head(text);
  check_work_tree(folder, text);
  check_keys(folder, text);
  return 0;
}
