#include "llm/source_exit_code.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json/reader.h"

namespace spoor::llm {
namespace {

using Code = std::optional<std::int64_t>;

/// Parses a number that is the whole text.
Code number_in(std::string_view text) {
  std::int64_t code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return code;
}

/// Parses the number in a line that consists of `before`, the number and `after`.
Code code_in_line(std::string_view line, std::string_view before, std::string_view after = {}) {
  if (!line.starts_with(before)) return std::nullopt;
  line.remove_prefix(before.size());
  if (!line.ends_with(after)) return std::nullopt;
  line.remove_suffix(after.size());
  return number_in(line);
}

std::string_view take_first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_last_line(std::string_view& text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t end = text.rfind('\n');
  const std::string_view line = end == std::string_view::npos ? text : text.substr(end + 1);
  text.remove_suffix(text.size() - (end == std::string_view::npos ? 0 : end));
  return line;
}

/// Parses `{"output": …, "exit_code": 1}`, or `{"output": …, "metadata": {"exit_code": 1}}`.
Code code_in_json(std::string_view text) {
  if (text.empty() || text.front() != '{') return std::nullopt;
  const auto document = json::parse(text);
  if (!document || !document->root().find("output").is_string()) return std::nullopt;
  const Code code = document->root().find("exit_code").integer();
  return code ? code : document->root().find("metadata").find("exit_code").integer();
}

/// A few lines about the command precede `Output:`. The exit code is in one of them: `Process
/// exited with code 1` (core/src/tools/context.rs of codex-rs) or, as the first line, `Exit code:
/// 1` (format_exec_output_for_model_freeform in core/src/tools/mod.rs, which wrote JSON before). A
/// script that calls `exec_command` may print its result as JSON.
Code code_of_codex(std::string_view text) {
  if (const Code code = code_in_json(text)) return code;
  const bool is_script = text.starts_with("Script completed\n");
  constexpr int kMostLines = 8;
  for (int i = 0; i < kMostLines && !text.empty(); ++i) {
    const std::string_view line = take_first_line(text);
    if (line == "Output:") return is_script ? code_in_json(text) : std::nullopt;
    if (const Code code = code_in_line(line, "Process exited with code ")) return code;
    const Code code = i == 0 ? code_in_line(line, "Exit code: ") : std::nullopt;
    if (code) return code;
  }
  return std::nullopt;
}

/// Lines about the process follow the output (packages/core/src/tools/shell.ts). Since 0.61 the
/// first line is `Output:`, an exit code of 0 is omitted, and the whole text is marked as
/// untrusted.
Code code_of_gemini(std::string_view text) {
  constexpr std::array<std::string_view, 3> kAfter = {
      "Signal: ", "Background PIDs: ", "Process Group PGID: "};
  constexpr std::string_view kMark = "<untrusted_context>\n";
  constexpr std::string_view kMarkEnd = "\n</untrusted_context>";
  if (text.starts_with(kMark) && text.ends_with(kMarkEnd)) {
    text = text.substr(kMark.size(), text.size() - kMark.size() - kMarkEnd.size());
  }
  const bool is_recent = text.starts_with("Output: ");
  if (!is_recent && !text.starts_with("Command: ")) return std::nullopt;
  bool has_line_after = false;
  while (!text.empty()) {
    const std::string_view line = take_last_line(text);
    const Code code = code_in_line(line, "Exit Code: ");
    if (code) return has_line_after || !is_recent ? code : std::nullopt;
    const bool is_after = std::any_of(kAfter.begin(), kAfter.end(), [&](std::string_view word) {
      return line.starts_with(word);
    });
    if (!is_after) return std::nullopt;
    has_line_after = true;
  }
  return std::nullopt;
}

/// The last line: `<exited with exit code 1>`; since 1.0.102 `<shellId: 0 completed with exit code
/// 1>`; for a detached command `<detached command with shellId: …`.
Code code_of_copilot(std::string_view text) {
  std::string_view line = take_last_line(text);
  if (const Code code = code_in_line(line, "<exited with exit code ", ">")) return code;
  constexpr std::string_view kDetached = "<detached command with ";
  constexpr std::string_view kCompleted = " completed with exit code ";
  if (line.starts_with(kDetached)) line.remove_prefix(kDetached.size() - 1);
  const std::size_t at = line.find(kCompleted);
  if (at == std::string_view::npos || !line.substr(1).starts_with("shellId: ")) return std::nullopt;
  return code_in_line(line.substr(at), kCompleted, ">");
}

/// Two times, an empty line, and the outcome.
Code code_of_antigravity(std::string_view text) {
  if (!take_first_line(text).starts_with("Created At: ")) return std::nullopt;
  if (!take_first_line(text).starts_with("Completed At: ")) return std::nullopt;
  take_first_line(text);
  std::string_view line = take_first_line(text);
  line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
  if (line == "The command completed successfully.") return 0;
  return code_in_line(line, "The command failed with exit code: ");
}

}  // namespace

std::optional<std::int64_t> read_source_exit_code(std::string_view source, std::string_view text,
                                                  bool is_error) {
  if (source == "claude-code" && is_error) {
    return code_in_line(take_first_line(text), "Exit code ");
  }
  if (source == "codex") return code_of_codex(text);
  if (source == "gemini-cli" || source == "qwen-code") return code_of_gemini(text);
  if (source == "copilot") return code_of_copilot(text);
  if (source == "hermes") return code_in_json(text);
  if (source == "antigravity") return code_of_antigravity(text);
  if (source == "mini-swe-agent" || source == "openai-chat") {
    return code_in_line(take_first_line(text), "<returncode>", "</returncode>");
  }
  return std::nullopt;
}

}  // namespace spoor::llm
