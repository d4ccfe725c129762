#pragma once

#include <string>
#include <vector>

#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent::project {

/// A skill: a folder with SKILL.md, whose frontmatter has `name` and `description`. Source:
/// agentskills.io, "Specification", as of 2026-11.
struct Skill {
  std::string name;
  std::string description;
  std::string folder;  ///< absolute

  bool operator==(const Skill&) const = default;
};

constexpr std::size_t kMostSkills = 100;
constexpr std::size_t kMostSkillText = 30'000;        ///< bytes of a result
constexpr std::size_t kMostSkillDescription = 1'024;  ///< bytes

/// Finds the skills in the subfolders of `folder`, by name. A subfolder without SKILL.md is none.
/// Returns Code::not_found if `folder` does not exist; Code::invalid if it has more than
/// kMostSkills, or a SKILL.md that is not text or has no description; Code::io.
Result<std::vector<Skill>> find_skills(const std::string& folder);

/// Returns the definition of the tool `read_skill`, which names each skill with its description.
ToolDefinition skills_definition(const std::vector<Skill>& skills);

/// Makes that tool. It returns the text of a skill and the names of its other files, or one of
/// those. No link out of a skill's folder is followed.
Tool make_skills_tool(std::vector<Skill> skills, const ToolDefinition& definition);

}  // namespace spoor::agent::project
