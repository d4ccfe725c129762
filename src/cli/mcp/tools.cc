#include "cli/mcp/tools.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>

#include <fmt/format.h>

#include "api/command.h"
#include "api/operations/operations.h"
#include "base/json/writer.h"
#include "cli/commands.h"

namespace spoor::cli::mcp {
namespace {

using api::JsonWriter;
using json::Value;

// Every tool has these two.
constexpr Option kMaxTokens{"--max-tokens", "N", "the longest answer, in tokens (default: 4000)", 0,
                            Takes::positive};
constexpr Option kOffset{"--offset", "N", "begin at this byte: where an earlier answer was cut", 0,
                         Takes::number};

// The parameters of `note`; its operation is one of `spoor batch`.
constexpr std::array kNoteParameters = {
    Option{"text", "TEXT", "what to remember: what was tried, the outcome, the reason", 0,
           Takes::text, Count::one},
    Option{"--about", "REV", "the turn that the note is about", 0, Takes::revision, Count::many},
    Option{"--tags", "WORD", "a word to find it by", 0, Takes::text, Count::many},
    Option{"--branch", "NAME", "the branch to write to (default: the store's current one)", 0,
           Takes::branch},
};

const Command& command_named(std::string_view name) {
  const Command* command = find_command(name);
  if (command == nullptr) throw std::logic_error(fmt::format("no command '{}'", name));
  return *command;
}

// Returns these parameters of a command, then those of every tool.
std::vector<Option> some_of(const char* name, std::initializer_list<std::string_view> keys) {
  std::vector<Option> parameters;
  for (const std::string_view key : keys) {
    const auto& options = command_named(name).options;
    const auto found = std::ranges::find(options, key, &Option::key);
    if (found == options.end()) throw std::logic_error(fmt::format("{} has no '{}'", name, key));
    parameters.push_back(*found);
  }
  parameters.insert(parameters.end(), {kMaxTokens, kOffset});
  return parameters;
}

std::vector<Tool> make_tools() {
  return {
      {.name = "search",
       .description = "Find turns of all recorded sessions by their text: requests, answers, tool "
                      "calls and results. Each hit has the id of the turn and the matching lines. "
                      "Use it before you try something: it may have been tried before.",
       .parameters = some_of(
           "search", {"text", "query", "type", "author", "since", "until", "branch", "limit"})},
      {.name = "show",
       .description = "Show a turn in full: its text, its tool calls and their edits, its model, "
                      "and what it belongs to. Takes the id from another answer.",
       .parameters = some_of("show", {"revision", "expand"})},
      {.name = "why",
       .description = "Find the turn that wrote a line of a file (file and line), with the request "
                      "that it served and the reasoning before it; or the turn that brought a "
                      "phrase into a prompt (phrase), through edits and summaries.",
       .parameters = some_of("why", {"phrase", "revision", "file", "line"})},
      {.name = "reasoning",
       .description = "Show the reasoning before an answer, or list the reasoning of a session, a "
                      "branch or everything, with the answers it led to.",
       .parameters = some_of("reasoning", {"revision", "search", "all", "limit", "patch"})},
      {.name = "compile",
       .description = "Show the prompt as it was at a turn: all messages that the model was sent.",
       .parameters = some_of("compile", {"revision", "to", "at", "window", "budget",
                                         "clear-results-after", "include-reasoning"}),
       .is_indented = true},
      {.name = "diff",
       .description = "Show how two prompts differ, message by message.",
       .parameters = some_of("diff", {"from", "to", "reasoning", "stat"}),
       .is_indented = true},
      {.name = "sessions",
       .description = "List recorded sessions, newest first: number, title, project, agent, cost "
                      "and outcome. The number of a session is accepted as a revision.",
       .parameters =
           some_of("sessions", {"since", "project", "agent", "model", "failed", "limit"})},
      {.name = "note",
       .description = "Write down what was tried and why it worked or failed, for those who ask "
                      "later. The note is a turn of its own; nothing else changes.",
       .parameters = {kNoteParameters.begin(), kNoteParameters.end()},
       .writes = true},
  };
}

const char* type_of(const Option& parameter) {
  if (parameter.is_flag()) return "boolean";
  const bool is_number = parameter.takes == Takes::number || parameter.takes == Takes::positive;
  return is_number ? "integer" : "string";
}

void write_value_schema(JsonWriter& json, const Option& parameter) {
  json.member("type", type_of(parameter));
  if (parameter.takes == Takes::number) json.member("minimum", std::int64_t{0});
  if (parameter.name == kMaxTokens.name) {
    json.member("minimum", kLeastTokens).member("maximum", kMostTokens);
  } else if (parameter.takes == Takes::positive) {
    json.member("minimum", std::int64_t{1});
  }
  if (parameter.takes != Takes::choice) return;
  json.list("enum");
  std::string_view rest = parameter.choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    json.value(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  json.end();
}

std::string member_name(const Option& parameter) {
  std::string name(parameter.key());
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_list(const Option& parameter) {
  return parameter.count == Count::many || parameter.count == Count::some;
}

void write_schema(JsonWriter& json, const Tool& tool) {
  json.object().member("type", "object").key("properties").object();
  for (const Option& parameter : tool.parameters) {
    json.key(member_name(parameter)).object().member("description", parameter.help);
    if (is_list(parameter)) {
      json.member("type", "array").key("items").object();
      write_value_schema(json, parameter);
      json.end();
    } else {
      write_value_schema(json, parameter);
    }
    json.end();
  }
  json.end().list("required");
  for (const Option& parameter : tool.parameters) {
    const bool is_required = parameter.count == Count::one || parameter.count == Count::some;
    if (is_required) json.value(member_name(parameter));
  }
  json.end().member("additionalProperties", false).end();
}

Result<Range> range_of(const Arguments& arguments) {
  Range range;
  const auto tokens =
      arguments.number(kMaxTokens.name, static_cast<std::int64_t>(range.max_tokens));
  if (tokens < static_cast<std::int64_t>(kLeastTokens) ||
      tokens > static_cast<std::int64_t>(kMostTokens)) {
    return invalid(fmt::format("'max_tokens' must be from {} to {}", kLeastTokens, kMostTokens));
  }
  range.max_tokens = static_cast<std::uint64_t>(tokens);
  range.offset = static_cast<std::uint64_t>(arguments.number(kOffset.name, 0));
  return range;
}

// Returns the request of `spoor batch` that writes a note.
std::string note_request(const Arguments& arguments, const std::string& branch,
                         const std::string& author) {
  json::Object request;
  request.add_string("op", "note");
  request.add_string("text", arguments.text("text"));
  if (!branch.empty()) request.add_string("branch", branch);
  if (!author.empty()) request.add_string("author", author);
  for (const char* list : {"--about", "--tags"}) {
    if (arguments.has(list)) request.add_json(list + 2, json::write_strings(arguments.all(list)));
  }
  return request.write();
}

Result<Told> write_note(Session& session, const Arguments& arguments, const Rights& rights) {
  if (!rights.may_write) return denied("'note' writes, and this server only reads", rights.why_not);
  TRY(session.require_writing());
  TRY(session.refresh_capture());
  TRY(session.forget_originals());  // The text is sent to no model.
  api::operations::Context context{*TRY(session.workspace()), TRY(session.author()), {}};
  std::string branch = arguments.text("--branch");
  if (!rights.branch_prefix.empty()) {
    if (branch.empty()) branch = TRY(context.workspace.branch_for_writing());
    if (!branch.starts_with(rights.branch_prefix)) {
      return denied(fmt::format("the token may only write branches that begin with '{}'",
                                rights.branch_prefix),
                    "name one with 'branch'");
    }
  }
  const std::string request = note_request(arguments, branch, rights.author);
  const auto document = TRY(json::parse(request));
  JsonWriter json(true);
  TRY(api::operations::run_operation(context, document.root(), json));
  const std::string answer = json.take_value();
  return Told{answer, answer};
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out += "  ";
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::span<const Tool> tools() {
  static const std::vector<Tool> kTools = make_tools();
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const auto found =
      std::ranges::find_if(tools(), [&](const Tool& each) { return name == each.name; });
  return found == tools().end() ? nullptr : &*found;
}

void write_tool(JsonWriter& json, const Tool& tool) {
  json.object().member("name", tool.name).member("description", tool.description);
  json.key("inputSchema");
  write_schema(json, tool);
  json.key("annotations").object().member("readOnlyHint", !tool.writes);
  if (tool.writes) json.member("destructiveHint", false).member("idempotentHint", false);
  json.member("openWorldHint", false).end().end();
}

Result<Told> call_tool(Session& session, const Tool& tool, const Value& arguments,
                       const Rights& rights) {
  const Arguments given = TRY(api::read_arguments(tool.name, tool.parameters, arguments));
  if (tool.writes) return write_note(session, given, rights);
  return Told{TRY(text_of(session, tool.name, given, TRY(range_of(given)), tool.is_indented))};
}

Result<std::string> text_of(Session& session, std::string_view command, const Arguments& arguments,
                            const Range& range, bool is_indented) {
  session.out().use(false, false);
  std::string text = TRY(session.output_of(command_named(command), arguments));
  if (is_indented) text = indented(text);
  if (text.empty()) text = "Nothing was found.\n";
  return excerpt(text, range);
}

}  // namespace spoor::cli::mcp
