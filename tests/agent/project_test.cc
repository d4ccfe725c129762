#include <filesystem>

#include <doctest/doctest.h>

#include "agent/project/agent_files.h"
#include "agent/project/agents_md.h"
#include "agent/project/frontmatter.h"
#include "agent/project/skills.h"
#include "tests/agent/builtin_stage.h"

namespace spoor::agent::project {
namespace {

namespace fs = std::filesystem;
using builtin::Stage;
using List = std::vector<std::string>;

}  // namespace

TEST_SUITE("agent/project") {
  TEST_CASE("frontmatter has values, lists and texts of several lines") {
    const Frontmatter read = parse_frontmatter(
        "---\nname: review  # me\nquoted: \"a: b\"\nsingle: 'it''s'\ntools: Read, Grep\n"
        "list:\n  - one\n  - 'two'\nflow: [a, \"b\"]\nfolded: >\n  some\n  words\n\n  more\n"
        "literal: |\n  a\n    b\nnested:\n  ignored: yes\nlast: 1\n---\n\nThe body.\n---\nMore.\n");
    CHECK(read.text("name") == "review");
    CHECK(read.text("quoted") == "a: b");
    CHECK(read.text("single") == "it's");
    CHECK(read.list("tools") == List{"Read", "Grep"});
    CHECK(read.list("list") == List{"one", "two"});
    CHECK(read.list("flow") == List{"a", "b"});
    CHECK(read.text("folded") == "some words\nmore");
    CHECK(read.text("literal") == "a\n  b");
    CHECK(read.text("last") == "1");
    CHECK_FALSE(read.list("missing"));
    CHECK(read.body == "The body.\n---\nMore.\n");
  }

  TEST_CASE("a file without frontmatter, or without its end, is a body") {
    for (const char* text : {"", "Hello\n", "---\nname: x\n", "--- \n", "\n---\na: b\n---\n"}) {
      CHECK(parse_frontmatter(text).fields.empty());
      CHECK(parse_frontmatter(text).body == text);
    }
    CHECK(parse_frontmatter("\xef\xbb\xbf---\r\na: b\r\n---\r\nBody").text("a") == "b");
  }

  TEST_CASE("AGENTS.md is read from the repository's folder down to the root") {
    const Stage stage;
    stage.put("AGENTS.md", "outer");
    stage.put("repo/.git/HEAD", "x");
    stage.put("repo/AGENTS.md", "Use tabs.\n");
    stage.put("repo/src/AGENTS.md", "Use blanks.\n");
    stage.put("repo/src/lib/AGENTS.md", "below");
    const AgentsMd read = read_agents_md((stage.root() / "repo/src").string()).value();
    CHECK(read.text ==
          "Instructions of the project, from AGENTS.md:\n\nUse tabs.\n\n\n"
          "Instructions of the project, from src/AGENTS.md:\n\nUse blanks.\n\n\n"
          "Read these before you change anything in their folders:\n- lib/AGENTS.md\n");
    CHECK(read.paths.size() == 2);
    CHECK_FALSE(read.is_cut);
    CHECK(read_agents_md(stage.outside().string()).value().text.empty());
  }

  TEST_CASE("a link in AGENTS.md leads nowhere else, and a long one is cut") {
    const Stage stage;
    stage.put("../outside/secret", "secret");
    fs::create_symlink("../outside/secret", stage.root() / "AGENTS.md");
    CHECK(read_agents_md(stage.root().string()).value().paths.empty());
    fs::remove(stage.root() / "AGENTS.md");
    stage.put("CLAUDE.md", std::string(40'000, 'x'));
    fs::create_symlink("CLAUDE.md", stage.root() / "AGENTS.md");
    const AgentsMd read = read_agents_md(stage.root().string()).value();
    CHECK(read.is_cut);
    CHECK(read.text.size() < kMostAgentsMd + 200);
  }

  TEST_CASE("skills are offered by name and read when they are asked for") {
    const Stage stage;
    stage.put("pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDFs.\n---\nUse the script.\n");
    stage.put("pdf/scripts/read.py", "print()");
    stage.put("none/other.md", "x");
    const auto skills = find_skills(stage.root().string()).value();
    REQUIRE(skills.size() == 1);
    const ToolDefinition definition = skills_definition(skills);
    CHECK(definition.description.find("- pdf: Reads PDFs.") != std::string::npos);
    const Tool tool = make_skills_tool(skills, definition);
    CHECK(tool.run(R"({"name": "pdf"})", {}).text ==
          "Use the script.\n\n\nOther files of this skill:\n- scripts/read.py");
    CHECK(tool.run(R"({"name": "pdf", "path": "scripts/read.py"})", {}).text == "print()");
    CHECK(tool.run(R"({"name": "pdf", "path": "../none/other.md"})", {}).is_error);
    CHECK(tool.run(R"({"name": "nosuch"})", {}).is_error);
    CHECK_FALSE(find_skills((stage.root() / "nosuch").string()));
    stage.put("silent/SKILL.md", "---\nname: silent\n---\n");
    CHECK(find_skills(stage.root().string()).error().message.find("silent/SKILL.md") !=
          std::string::npos);
  }

  TEST_CASE("an agent is a file with a name, a description, tools and a model") {
    const Stage stage;
    stage.put("b.md", "---\nname: second\ndescription: d\n---\n");
    stage.put("a.md",
              "---\nname: first\ndescription: Reviews.\ntools: Read, Grep\nmodel: inherit\n---\nBe "
              "kind.\n");
    const auto agents = read_agent_files(stage.root().string()).value();
    REQUIRE(agents.size() == 2);
    CHECK(agents[0].tools == List{"Read", "Grep"});
    CHECK(agents[0].model.empty());
    CHECK(agents[0].instructions == "Be kind.\n");
    CHECK_FALSE(agents[1].tools);
    stage.put("c.md", "---\nname: first\ndescription: again\n---\n");
    CHECK_FALSE(read_agent_files(stage.root().string()));
    stage.put("c.md", "no frontmatter");
    const auto bad = read_agent_files(stage.root().string());
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message == "'c.md' does not describe an agent");
  }
}

}  // namespace spoor::agent::project
