#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/base.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/kept_output.h"
#include "agent/numbers.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::int64_t kUsualLines = 2'000;
constexpr std::int64_t kMostLines = 1'000'000'000;
constexpr std::size_t kBlock = 1U << 16U;

constexpr std::string_view kParameters = R"json({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the file, relative to the root folder"},
    "offset": {"type": "integer", "minimum": 1, "maximum": 1000000000,
      "description": "the first line to read (default 1)"
}
, "limit" : {
  "type" : "integer",
           "minimum" : 1,
           "maximum" : 1000000000,
           "description" : "how many lines to read (default 2000)"
}
}
, "required" : ["path"], "additionalProperties" : false
})json";

// Collects the requested lines of a file, each after its number.
class NumberedLines {
 public:
  NumberedLines(std::int64_t first, std::int64_t limit, std::size_t cap)
      : first_(first), limit_(limit), cap_(cap) {}

  // Returns false if no more input is needed.
  bool add(std::string_view bytes) {
    while (!bytes.empty()) {
      if (is_full()) {
        has_more_ = true;
        return false;
      }
      const std::size_t line_end = bytes.find('\n');
      const bool has_end = line_end != std::string_view::npos;
      const std::string_view piece = bytes.substr(0, has_end ? line_end + 1 : bytes.size());
      bytes.remove_prefix(piece.size());
      if (line_ >= first_ && !add_piece(piece)) return false;
      is_within_line_ = !has_end;
      if (has_end) ++line_;
    }
    return true;
  }

  // The last line that was read up to its end, or the file's.
  std::int64_t last_line() const { return is_within_line_ ? line_ : line_ - 1; }
  std::int64_t next_line() const { return cut_line_ == 0 ? last_shown() + 1 : cut_line_ + 1; }
  std::int64_t last_shown() const { return first_ + shown_ - 1; }
  std::int64_t cut_line() const { return cut_line_; }  // 0: none.
  std::int64_t shown() const { return shown_; }
  bool has_more() const { return has_more_; }
  std::string take() { return std::move(text_); }

 private:
  bool is_full() const { return shown_ == limit_ && !is_within_line_; }

  // Drops a line that does not fit as a whole, unless it is the only one.
  bool add_piece(std::string_view piece) {
    if (!is_within_line_) {
      line_begin_ = text_.size();
      text_ += fmt::format("{:>6}\t", line_);
      ++shown_;
    }
    if (text_.size() + piece.size() <= cap_) {
      text_ += piece;
      return true;
    }
    has_more_ = true;
    if (shown_ > 1) {
      text_.resize(line_begin_);
      --shown_;
    } else {
      text_ += piece;
      text_ = beginning_of(text_, cap_);
      cut_line_ = line_;
    }
    return false;
  }

  const std::int64_t first_;
  const std::int64_t limit_;
  const std::size_t cap_;
  std::string text_;
  std::size_t line_begin_ = 0;
  std::int64_t line_ = 1;
  std::int64_t shown_ = 0;
  std::int64_t cut_line_ = 0;
  bool is_within_line_ = false;
  bool has_more_ = false;
};

// Returns the lines without their numbers, and without the notes after them, which have none.
std::string without_numbers(std::string_view numbered) {
  std::string lines;
  while (!numbered.empty()) {
    const std::size_t end = std::min(numbered.find('\n'), numbered.size() - 1) + 1;
    const std::string_view line = numbered.substr(0, end);
    const std::size_t digits = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t tab = line.find_first_not_of("0123456789", digits);
    if (tab > digits && tab < line.size() && line[tab] == '\t') lines += line.substr(tab + 1);
    numbered.remove_prefix(end);
  }
  return lines;
}

Result<ToolResult> read_file(const Base& base, std::string_view json, const ToolContext& context) {
  const Arguments arguments = TRY(Arguments::parse(json));
  const std::string path = TRY(arguments.text("path"));
  const std::int64_t offset = TRY(arguments.whole_or("offset", 1, 1, kMostLines));
  const std::int64_t limit = TRY(arguments.whole_or("limit", kUsualLines, 1, kMostLines));
  const Deadline deadline(context);
  const Descriptor file = TRY(base.root.file(path));
  struct stat found {};
  if (::fstat(file.number(), &found) != 0) return io_error("cannot look at the file");

  NumberedLines lines(offset, limit, base.settings.output_cap);
  std::string block = TRY(read_bytes(file, std::max(kBlock, kLookedAt), deadline));
  if (const auto place = find_binary(block)) {
    return denied(fmt::format("'{}' is binary, not text: a NUL byte at {}, {} bytes in all", path,
                              *place, grouped(static_cast<std::uint64_t>(found.st_size))));
  }
  bool wants_more = true;
  while (!block.empty() && wants_more) {
    wants_more = lines.add(block);
    if (wants_more) block = TRY(read_bytes(file, kBlock, deadline));
  }

  ToolResult result = gave({});
  note_path(result.facts, path);
  if (lines.shown() == 0) {
    if (lines.last_line() == 0) {
      result.text = "[the file is empty]";
      return result;
    }
    return invalid(
        fmt::format("'{}' has {} lines; there is no line {}", path, lines.last_line(), offset));
  }
  const std::int64_t cut_line = lines.cut_line();
  result.text = lines.take();
  if (!lines.has_more()) return result;
  if (result.text.back() != '\n') result.text += '\n';
  if (cut_line != 0) {
    result.text += fmt::format("[line {} is longer than what fits here and was cut]\n", cut_line);
  }
  result.text += fmt::format("[lines {} to {} of a file of {} bytes; to go on: offset {}]", offset,
                             lines.last_shown(), grouped(static_cast<std::uint64_t>(found.st_size)),
                             lines.next_line());
  return result;
}

}  // namespace

Tool make_read_file(SharedBase base) {
  Tool tool;
  tool.id = "read_file";
  tool.description =
      "Reads a text file. Each line comes after its number and a tab, which are no part of the "
      "file. Says what was left out of a long file and how to go on; refuses binary files.";
  tool.parameters = kParameters;
  tool.tags = {"files"};
  tool.read_only = true;
  tool.data_of = without_numbers;
  tool.run = [base = std::move(base)](std::string_view json, const ToolContext& context) {
    return as_result(read_file(*base, json, context));
  };
  return tool;
}

}  // namespace spoor::agent::builtin
