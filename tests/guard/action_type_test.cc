#include "guard/check/action_type.h"

#include <doctest/doctest.h>

#include "base/json/writer.h"
#include "trace/event_json.h"

namespace spoor::guard::check {
namespace {

std::string type_of_line(const std::string& line) {
  const std::string arguments = R"({"command":)" + json::write_string(line) + "}";
  return std::string(name_of(type_of(CallSeen{"Bash", arguments, {}})));
}

}  // namespace

TEST_SUITE("guard/check/action_type") {
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

  TEST_CASE("what only explains, lists or tries itself does nothing") {
    for (const char* line : {
             "kubectl rollout status deploy/x",
             "kubectl rollout history deploy/x",
             "kubectl apply --dry-run=server -f x",
             "kubectl apply --dry-run -f x",
             "kubectl apply --help",
             "helm upgrade --dry-run x y",
             "terraform apply -help",
             "npm publish --help",
             "cargo publish -n",
             "cargo publish --dry-run",
             "ansible-playbook site.yml --check",
             "serverless deploy list",
             "fly deploy --build-only",
             "git merge --help",
             "git merge -h",
             "gh pr merge --help",
             "gh pr create --dry-run",
             "gh pr create --web",
             "gh pr create -h",
             "ctest --help",
             "ctest -N",
             "ctest --show-only=json-v1",
             "go test -list . ./...",
             "go test -c ./x",
             "pytest --collect-only",
             "python -m pytest --collect-only -q",
             "pytest --version",
             "npx jest --listTests",
             "vitest list",
             "cargo test --no-run",
             "cargo test -- --list",
             "cargo nextest list",
             "rspec --dry-run",
             "make -n test",
             "make test -n",
             "gradle test --dry-run",
             "mvn test -DskipTests",
         }) {
      CAPTURE(line);
      CHECK(type_of_line(line) == "command");
    }
    CHECK(type_of_line("kubectl apply --dry-run=none -f x") == "deploy");
    CHECK(type_of_line("npm publish --dry-run=false") == "deploy");
    CHECK(type_of_line("kubectl -n prod rollout restart deploy/x") == "deploy");
    CHECK(type_of_line("helm upgrade --version 1.2 x y") == "deploy");
  }

  TEST_CASE("tests are known through what starts them") {
    for (const char* line : {
             "npx jest",
             "npx -p jest jest --ci",
             "yarn jest src",
             "yarn test",
             "pnpm --filter web exec vitest run",
             "pnpm vitest run",
             "npm --prefix web run test:unit",
             "npm t",
             "bundle exec rspec spec/a_spec.rb",
             "python -m pytest",
             "python3.11 -W error -m pytest -n 4",
             "python -m unittest discover",
             "python manage.py test",
             "uv run pytest",
             "uv run --with x --extra dev python -m pytest -q",
             "poetry run pytest -q",
             "coverage run --source a -m pytest",
             "cross-env CI=1 jest",
             "xvfb-run -s '-screen 0' npx playwright test",
             "make -j 8 test",
             "make -C build check",
             "cmake --build build --target test",
             "cd x && ./gradlew :app:test",
             "mvn -q clean test",
             "cargo nextest run",
             "just tests",
         }) {
      CAPTURE(line);
      CHECK(type_of_line(line) == "run_tests");
    }
    for (const char* line : {
             "yarn add jest",
             "npm install pytest",
             "npm run testdata",
             "make check-format",
             "gradle build -x test",
             "python tools/pytest.py",
             "python -c 'import pytest'",
             "npx eslint test",
             "uv run ruff check tests",
             "cmake --build build --target all",
             "go build ./test",
         }) {
      CAPTURE(line);
      CHECK(type_of_line(line) == "command");
    }
    // However many start each other.
    std::string many;
    for (int i = 0; i < 1'000; ++i) many += "npx ";
    CHECK(type_of_line(many + "jest") == "command");
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
  }
}

}  // namespace spoor::guard::check
