#include "audit/event/action_type.h"

#include <doctest/doctest.h>

#include "audit/event/json.h"
#include "compile/json/writer.h"

namespace spoor::audit {
namespace {

std::string type_of_line(const std::string& line) {
  const std::string arguments = R"({"command":)" + compile::json::write_string(line) + "}";
  return std::string(name_of(type_of(CallSeen{"Bash", arguments, {}})));
}

}  // namespace

TEST_SUITE("audit/event/action_type") {
  TEST_CASE("a shell's line is taken apart into commands and words") {
    CHECK(commands_in("a 'b c' \"d \\\"e\\\"\" f\\ g").front() ==
          Words{"a", "b c", "d \"e\"", "f g"});
    CHECK(commands_in("a && b | c; d & (e) # f\ng").size() == 6);
    CHECK(commands_in("X=1 Y='2 3' make test > out.txt 2>&1") ==
          std::vector<Words>{{"make", "test"}});
    CHECK(commands_in("cat <<'EOF' > f\ngit merge x\nEOF\nls") ==
          std::vector<Words>{{"cat"}, {"ls"}});
    CHECK(commands_in("echo \"git merge x\" 'a;b'") ==
          std::vector<Words>{{"echo", "git merge x", "a;b"}});
    CHECK(commands_in("if true; then ls; fi") == std::vector<Words>{{"true"}, {"ls"}});
    CHECK(commands_in("'no end").front() == Words{"no end"});
    CHECK(commands_in("").empty());
  }

  TEST_CASE("what only starts another program is looked through") {
    const Words argv = {"/usr/bin/sudo", "-n", "x",    "env", "A=1",
                        "timeout",       "5",  "bash", "-lc", "cd x && /bin/ls"};
    CHECK(commands_of(argv) == std::vector<Words>{{"cd", "x"}, {"ls"}});
  }

  TEST_CASE("what a line does is told by its commands") {
    CHECK(type_of_line("ls -la") == "command");
    CHECK(type_of_line("cd web && npm test -- --watch=false") == "run_tests");
    CHECK(type_of_line("python3 -m pytest -q tests") == "run_tests");
    CHECK(type_of_line("gh pr create --title x --body y") == "open_pr");
    CHECK(type_of_line("git -C .. merge --no-ff topic") == "merge");
    CHECK(type_of_line("gh pr merge 12 --squash") == "merge");
    CHECK(type_of_line("kubectl -n prod apply -f x.yaml") == "deploy");
    CHECK(type_of_line("npm publish && git merge x") == "deploy");
  }

  TEST_CASE("what looks alike is none") {
    CHECK(type_of_line("git merge --abort") == "command");
    CHECK(type_of_line("git log --merges") == "command");
    CHECK(type_of_line("git merge-base a b") == "command");
    CHECK(type_of_line("echo 'gh pr create'") == "command");
    CHECK(type_of_line("grep -r 'npm publish' docs") == "command");
    CHECK(type_of_line("gh pr list") == "command");
    CHECK(type_of_line("git push origin main") == "command");
    CHECK(type_of_line("npm publish --dry-run") == "command");
    CHECK(type_of_line("cat pytest.ini") == "command");
    CHECK(type_of_line("kubectl get pods") == "command");
  }

  TEST_CASE("tools are known by their names and facts") {
    const auto type = [](CallSeen call) { return type_of(call); };
    using Type = AgentAction::Type;
    CHECK(type({"edit_file", R"({"path":"x"})", "file_edit"}) == Type::edit);
    CHECK(type({"mine", "{}", "file_edit"}) == Type::edit);
    CHECK(type({"Write", R"({"file_path":"x"})", {}}) == Type::edit);
    CHECK(type({"run_command", R"({"argv":["./x"]})", "test_run"}) == Type::run_tests);
    CHECK(type({"run_command", R"({"argv":["./x"]})", "command"}) == Type::command);
    CHECK(type({"run_command", R"({"argv":["gh","pr","create"]})", "command"}) == Type::open_pr);
    CHECK(type({"http_get", R"({"url":"x"})", {}}) == Type::api_call);
    CHECK(type({"mcp__github__search", "{}", {}}) == Type::api_call);
    CHECK(type({"read_file", R"({"path":"x"})", {}}) == Type::other);
    CHECK(type({"Bash", "no json", {}}) == Type::command);
    CHECK(path_of({"Edit", R"({"file_path":"a/b"})", {}}) == "a/b");
    CHECK_FALSE(path_of({"apply_patch", R"({"patch":"x"})", {}}));
  }
}

}  // namespace spoor::audit
