#include "store/operation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "store/commit.h"
#include "store/lines.h"
#include "store/sha256.h"
#include "store/value_reader.h"

namespace spoor::store {
namespace {

constexpr std::size_t kMaxOperationBody = 64U << 20U;
constexpr std::size_t kMaxRefName = 512;

std::string broken_rule(const Operation& op) {
  if (op.time.micros < 0 || op.time.micros > kLastMicro) return "'time' is out of range";
  if (!is_author(op.actor)) return "'actor' is malformed";
  if (!is_author(op.command)) return "'command' is malformed";
  if (op.folded && op.prev) return "a checkpoint has no 'prev'";
  if (!op.folded && op.refs.empty()) return "an operation moves at least one ref";
  for (const RefMove& move : op.refs) {
    if (!move.name.starts_with("refs/")) return "a ref is named 'refs/…'";
    if (std::string problem = ref_name_problem(move.name); !problem.empty()) return problem;
    if (move.before == move.after) return "a ref has the same target before and after";
    if (op.folded && move.before) return "a checkpoint records where refs are, not where they were";
  }
  const bool sorted =
      std::adjacent_find(op.refs.begin(), op.refs.end(), [](const auto& a, const auto& b) {
        return a.name >= b.name;
      }) == op.refs.end();
  return sorted ? "" : "refs are not sorted, or one is named twice";
}

std::string hex_or_dash(const std::optional<Oid>& oid) { return oid ? oid->hex() : "-"; }

// Parses "HEX" or "-" (only if `or_dash`). False for anything else.
bool read_oid(std::string_view text, std::optional<Oid>& out) {
  if (text == "-") return out.reset(), true;
  out = Oid::from_hex(text);
  return out.has_value();
}

bool read_move(std::string_view value, RefMove& move) {
  const std::size_t first = value.find(' ');
  const std::size_t second = value.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return false;
  move.name = value.substr(0, first);
  return read_oid(value.substr(first + 1, second - first - 1), move.before) &&
         read_oid(value.substr(second + 1), move.after);
}

bool read_copy(std::string_view value, std::pair<Oid, Oid>& copy) {
  if (value.size() != 129 || value[64] != ' ') return false;
  const auto before = Oid::from_hex(value.substr(0, 64));
  const auto after = Oid::from_hex(value.substr(65));
  if (!before || !after) return false;
  copy = {*before, *after};
  return true;
}

}  // namespace

Result<std::string> serialize(const Operation& op) {
  if (const std::string broken = broken_rule(op); !broken.empty()) {
    return invalid("invalid operation: " + broken, "see docs/format.md");
  }
  std::string out;
  if (op.prev) append_line(out, "prev", *op.prev);
  if (op.folded) append_line(out, "folded", *op.folded);
  append_line(out, "time", op.time.text());
  append_line(out, "actor", op.actor);
  append_line(out, "command", op.command);
  if (op.undo) append_line(out, "undo", *op.undo);
  for (const auto& [before, after] : op.map)
    append_line(out, "map", before.hex() + " " + after.hex());
  for (const RefMove& move : op.refs) {
    append_line(out, "ref",
                move.name + " " + hex_or_dash(move.before) + " " + hex_or_dash(move.after));
  }
  if (out.size() > kMaxOperationBody) {
    return invalid("an operation is at most 64 MiB of text", "move fewer refs at a time");
  }
  return out;
}

Result<Operation> parse_operation(std::string_view body) {
  const auto bad = [](std::string_view what) {
    return corrupt(fmt::format("an operation is malformed: {}", what), "run 'spoor store fsck'");
  };
  if (body.size() > kMaxOperationBody) return bad("longer than 64 MiB");
  ValueReader lines(body);
  Operation op;
  op.prev = lines.oid("prev");
  op.folded = lines.oid("folded");
  op.time = lines.needed_time("time");
  op.actor = lines.text("actor");
  op.command = lines.text("command");
  op.undo = lines.oid("undo");
  while (const auto value = lines.view("map")) {
    std::pair<Oid, Oid> copy;
    if (!read_copy(*value, copy)) lines.fail("map");
    op.map.push_back(copy);
  }
  while (const auto value = lines.view("ref")) {
    RefMove move;
    if (!read_move(*value, move)) lines.fail("ref");
    op.refs.push_back(std::move(move));
  }
  std::string problem = lines.problem();
  if (problem.empty()) problem = broken_rule(op);
  if (!problem.empty()) return bad(problem);
  return op;
}

Oid operation_name(std::string_view body) {
  const std::string header = fmt::format("spoor1 op {}", body.size()) + '\0';
  return sha256(header, body);
}

Oid chain_name(const Operation& operation, const Oid& name) {
  return operation.folded.value_or(name);
}

std::string ref_name_problem(std::string_view name) {
  const auto contains = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (name.empty()) return "a name cannot be empty";
  if (name.size() > kMaxRefName) return "a name is at most 512 bytes";
  if (name == "HEAD" || name == "@") return fmt::format("'{}' is a reserved name", name);
  if (name.front() == '.' || name.front() == '-' || name.front() == '/') {
    return fmt::format("a name cannot begin with '{}'", name.front());
  }
  if (name.back() == '.' || name.back() == '/' || name.ends_with(".lock")) {
    return "a name cannot end in '.', '/' or '.lock'";
  }
  for (const std::string_view part : {"..", "//", "/.", "@{"}) {
    if (contains(part)) return fmt::format("a name cannot contain '{}'", part);
  }
  for (std::string_view rest = name; !rest.empty();) {
    const CodePoint next = decode_utf8(rest);
    const bool is_special =
        next.code < 0x80 &&
        std::string_view("~^:?*[\\").find(static_cast<char>(next.code)) != std::string_view::npos;
    if (!next.valid || is_control(next.code) || is_special) {
      return "a name cannot contain control characters, or any of ~ ^ : ? * [ \\";
    }
    if (is_blank_or_invisible(next.code)) {
      return "a name cannot contain white space, invisible characters or marks of text direction";
    }
    rest.remove_prefix(next.length);
  }
  return {};
}

}  // namespace spoor::store
