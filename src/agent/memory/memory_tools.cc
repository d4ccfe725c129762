#include "agent/memory/memory_tools.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::agent::memory {
namespace {

constexpr const char* kLearn = "memory.learn";
constexpr const char* kRecall = "memory.recall";
constexpr const char* kAddNote = "notes.add";
constexpr const char* kReadNotes = "notes.read";
constexpr std::size_t kMostNotes = 1'000;

constexpr const char* kLearnParameters = R"({
  "type": "object",
  "properties": {
    "content": {"type": "string", "minLength": 1, "description": "what is to be known later"},
    "topic": {"type": "string", "description": "a word or two to find it by"},
    "scope": {"type": "string", "description": "where it holds; leave out for everywhere"},
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "private": {"type": "boolean", "description": "for this agent alone"}
  },
  "required": ["content"],
  "additionalProperties": false
})";

constexpr const char* kRecallParameters = R"({
  "type": "object",
  "properties": {
    "context": {"type": "string", "description": "words of what is looked for"},
    "topic": {"type": "string"},
    "scope": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100}
  },
  "additionalProperties": false
})";

constexpr const char* kNoteParameters = R"({
  "type": "object",
  "properties": {"text": {"type": "string", "minLength": 1, "description": "the note"}},
  "required": ["text"],
  "additionalProperties": false
})";

ToolResult learn(Store& store, std::string_view arguments) {
  const auto document = json::parse(arguments);
  if (!document) return failed(document.error().message);
  const json::Value given = document->root();
  Memory memory{.content = given.find("content").text(),
                .topic = given.find("topic").text(),
                .scope = given.find("scope").text()};
  if (const auto confidence = given.find("confidence"); confidence.is_number()) {
    memory.confidence = number_of(confidence).value_or(0);  // Too small for a double.
  }
  const auto learned = store.learn(memory, given.find("private").is_true());
  if (!learned) return failed(learned.error().message);
  return gave(fmt::format("remembered as {}", learned->hex(12)));
}

ToolResult recall(const Store& store, std::string_view arguments) {
  const auto document = json::parse(arguments);
  if (!document) return failed(document.error().message);
  const json::Value given = document->root();
  Recall wanted{.context = given.find("context").text(),
                .topic = given.find("topic").text(),
                .scope = given.find("scope").text()};
  if (const auto limit = given.find("limit").integer()) {
    wanted.limit = static_cast<std::size_t>(*limit);
  }
  const auto found = store.recall(wanted);
  if (!found) return failed(found.error().message);
  std::vector<std::string> elements;
  for (const Remembered& remembered : *found) {
    const Memory& memory = remembered.memory;
    json::Object object;
    object.add_string("content", memory.content);
    if (!memory.topic.empty()) object.add_string("topic", memory.topic);
    if (!memory.scope.empty()) object.add_string("scope", memory.scope);
    if (!memory.agent.empty()) object.add_string("agent", memory.agent);
    if (memory.confidence) {
      object.add_raw_token("confidence", fmt::format("{}", *memory.confidence));
    }
    object.add_string("commit", remembered.commit.hex(12));
    elements.push_back(object.write());
  }
  return gave_json(json::write_array(elements));
}

// The owner of a run's notes: nobody else recalls them.
std::string owner_of(const CalledFrom& caller) { return "run-" + caller.run; }

ToolResult add_note(graph::Repository& repository, std::string_view arguments,
                    const ToolContext& context) {
  if (!context.caller) return failed("notes belong to a run, and no run called this");
  const auto document = json::parse(arguments);
  if (!document) return failed(document.error().message);
  const std::string owner = owner_of(*context.caller);
  const auto added = Store(repository, owner)
                         .learn({.content = document->root().find("text").text(),
                                 .topic = owner,
                                 .scope = {},
                                 .agent = {},
                                 .confidence = {}},
                                true);
  if (!added) return failed(added.error().message);
  return gave("noted");
}

ToolResult read_notes(graph::Repository& repository, const ToolContext& context) {
  if (!context.caller) return failed("notes belong to a run, and no run called this");
  const std::string owner = owner_of(*context.caller);
  const auto found = Store(repository, owner)
                         .recall({.context = {}, .topic = owner, .scope = {}, .limit = kMostNotes});
  if (!found) return failed(found.error().message);
  std::string text;
  for (const Remembered& note : *found) text.insert(0, "- " + note.memory.content + '\n');
  return gave(text.empty() ? "[no notes yet]" : text);  // The oldest first.
}

}  // namespace

std::vector<Tool> make_tools(graph::Repository& repository, const ToolOptions& options) {
  const auto store = std::make_shared<Store>(repository, options.agent);  // Shared by both tools.
  std::vector<Tool> tools(4);
  tools[0].id = kLearn;
  tools[0].description = "Remembers something for later runs.";
  tools[0].parameters = kLearnParameters;
  tools[0].tags = {"memory", "write"};
  tools[0].run = [store](std::string_view arguments, const ToolContext&) {
    return learn(*store, arguments);
  };
  tools[1].id = kRecall;
  tools[1].description = "Gives what was remembered, the best fit first, as a list.";
  tools[1].parameters = kRecallParameters;
  tools[1].tags = {"memory"};
  tools[1].read_only = true;
  tools[1].run = [store](std::string_view arguments, const ToolContext&) {
    return recall(*store, arguments);
  };
  tools[2].id = kAddNote;
  tools[2].description =
      "Adds a note for the rest of this run, which outlasts what is shown to you.";
  tools[2].parameters = kNoteParameters;
  tools[2].tags = {"memory", "write"};
  tools[2].run = [&repository](std::string_view arguments, const ToolContext& context) {
    return add_note(repository, arguments, context);
  };
  tools[3].id = kReadNotes;
  tools[3].description = "Gives the notes of this run, the oldest first.";
  tools[3].tags = {"memory"};
  tools[3].read_only = true;
  tools[3].run = [&repository](std::string_view, const ToolContext& context) {
    return read_notes(repository, context);
  };
  return tools;
}

bool is_memory_tool(std::string_view name) {
  return name == kLearn || name == kRecall || name == kAddNote || name == kReadNotes;
}

}  // namespace spoor::agent::memory
