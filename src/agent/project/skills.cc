#include "agent/project/skills.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "agent/builtin/arguments.h"
#include "agent/builtin/file_text.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/kept_output.h"
#include "agent/builtin/root.h"
#include "agent/project/frontmatter.h"

namespace spoor::agent::project {
namespace {

namespace fs = std::filesystem;
using builtin::Root;

constexpr const char* kSkillFile = "SKILL.md";
constexpr std::size_t kMostFiles = 100;  // Files of a skill that are named.

constexpr const char* kParameters = R"json({
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "the skill"},
    "path": {"type": "string", "description": "another file of the skill (default: its instructions)"}
  },
  "required": ["name"],
  "additionalProperties": false
})json";

Result<std::string> read(const Root& root, const std::string& path,
                         const builtin::Deadline& deadline) {
  const Descriptor file = TRY(root.file(path));
  std::string bytes = TRY(builtin::read_bytes(file, kMostSkillText + 1, deadline));
  if (builtin::find_binary(bytes)) return invalid(fmt::format("'{}' is not text", path));
  if (bytes.size() > kMostSkillText) {
    bytes.resize(builtin::beginning_of(bytes, kMostSkillText).size());
    bytes += fmt::format("\n[cut after {} bytes]", bytes.size());
  }
  return bytes;
}

// The names of the other files.
Result<std::string> other_files(const Root& root, const builtin::Deadline& deadline) {
  using builtin::Entry;
  std::string names;
  std::size_t count = 0;
  TRY(builtin::walk_folder(TRY(root.folder(".")), "", deadline, [&](const Entry& entry) {
    if (count == kMostFiles) return Entry::Step::end;
    if (entry.kind == Entry::Kind::file && entry.path != kSkillFile) {
      names += fmt::format("\n- {}", builtin::shown_path(entry.path));
      ++count;
    }
    return Entry::Step::go_on;
  }));
  return names;
}

Result<ToolResult> read_skill(const std::vector<Skill>& skills, std::string_view json,
                              const ToolContext& context) {
  const auto arguments = TRY(builtin::Arguments::parse(json));
  const std::string name = TRY(arguments.text("name"));
  const std::string path = TRY(arguments.text_or("path", ""));
  const auto skill = std::find_if(skills.begin(), skills.end(),
                                  [&](const Skill& one) { return one.name == name; });
  if (skill == skills.end()) return not_found(fmt::format("there is no skill '{}'", name));
  const builtin::Deadline deadline(context);
  const Root root = TRY(Root::open(skill->folder));
  if (!path.empty() && path != kSkillFile) return gave(TRY(read(root, path, deadline)));
  std::string text = parse_frontmatter(TRY(read(root, kSkillFile, deadline))).body;
  const std::string files = TRY(other_files(root, deadline));
  if (!files.empty()) text += "\n\nOther files of this skill:" + files;
  return gave(std::move(text));
}

}  // namespace

Result<std::vector<Skill>> find_skills(const std::string& folder) {
  std::vector<Skill> skills;
  std::error_code problem;
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    folders.push_back(entry.path().string());
  }
  if (problem)
    return not_found(fmt::format("cannot read the folder '{}': {}", folder, problem.message()));
  std::sort(folders.begin(), folders.end());
  for (const std::string& path : folders) {
    const auto root = Root::open(path);
    if (!root) continue;
    const auto text = read(*root, kSkillFile, builtin::Deadline({}, std::chrono::milliseconds(0)));
    if (!text && text.error().code == Error::Code::not_found) continue;
    if (!text) return text.error();
    const Frontmatter matter = parse_frontmatter(*text);
    std::string name = matter.text("name");
    if (name.empty()) name = fs::path(path).filename().string();
    const std::string description = matter.text("description");
    if (description.empty()) {
      return invalid(
          fmt::format("the skill '{}/{}' has no description", path, kSkillFile),
          "add a line 'description: …' between its '---' lines: the model chooses by it");
    }
    skills.push_back({std::move(name),
                      std::string(builtin::beginning_of(description, kMostSkillDescription)),
                      path});
  }
  if (skills.size() > kMostSkills) {
    return invalid(fmt::format("'{}' has {} skills, and a model can be offered {}", folder,
                               skills.size(), kMostSkills));
  }
  return skills;
}

ToolDefinition skills_definition(const std::vector<Skill>& skills) {
  std::string description =
      "Reads the instructions of a skill. Read them before you do what a skill is for. The skills:";
  for (const Skill& skill : skills) {
    description += fmt::format("\n- {}: {}", skill.name, skill.description);
  }
  return {.id = "read_skill",
          .description = std::move(description),
          .parameters = kParameters,
          .read_only = true};
}

Tool make_skills_tool(std::vector<Skill> skills, const ToolDefinition& definition) {
  Tool tool = make_tool(
      definition, [skills = std::move(skills)](std::string_view json, const ToolContext& context) {
        return builtin::as_result(read_skill(skills, json, context));
      });
  tool.tags = {"skills"};
  return tool;
}

}  // namespace spoor::agent::project
