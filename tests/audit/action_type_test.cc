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
  TEST_CASE("what a line does is told by its commands") {
    CHECK(type_of_line("ls -la") == "command");
    CHECK(type_of_line("cd web && npm test -- --watch=false") == "run_tests");
    CHECK(type_of_line("python3 -m pytest -q tests") == "run_tests");
    CHECK(type_of_line("mise run fmt && mise run test:ci") == "run_tests");
    CHECK(type_of_line("mise run fmt") == "command");
    CHECK(type_of_line("just test-all") == "run_tests");
    CHECK(type_of_line("gh pr create --title x --body y") == "open_pr");
    CHECK(type_of_line("git -C .. merge --no-ff topic") == "merge");
    CHECK(type_of_line("gh pr merge 12 --squash") == "merge");
    CHECK(type_of_line("kubectl -n prod apply -f x.yaml") == "deploy");
    CHECK(type_of_line("npm publish && git merge x") == "deploy");
    CHECK(type_of_line("sudo -n env A=1 timeout 5 bash -lc 'cd x && make test'") == "run_tests");
    CHECK(type_of_line("cat <<'EOF' > f\ngit merge x\nEOF\nls") == "command");
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
