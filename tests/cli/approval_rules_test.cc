#include "cli/agents/approval_rules.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/cli/temporary_folder.h"

using namespace spoor;
using cli::ApprovalRule;

namespace {

std::string command(std::string_view words) { return R"({"argv":)" + std::string(words) + "}"; }

const std::string kRoot = "/nonexistent-root";

std::string offered(std::string_view tool, std::string_view arguments) {
  const auto rule = cli::offered_rule(kRoot, tool, arguments);
  return rule ? rule->text() : "none";
}

bool meets(const ApprovalRule& rule, std::string_view tool, std::string_view arguments) {
  return rule.meets(tool, cli::parts_of_call(rule.root, tool, arguments));
}

// Returns whether the rule that is offered for one call also allows the other.
bool allows(std::string_view tool, std::string_view first, std::string_view second) {
  return meets(*cli::offered_rule(kRoot, tool, first), tool, second);
}

spoor::MapEnvironment home_in(const std::string& folder) {
  spoor::MapEnvironment environment;
  environment.variables["XDG_STATE_HOME"] = folder;
  return environment;
}

}  // namespace

TEST_SUITE("cli/agents/approval_rules") {
  TEST_CASE("a program is offered with its subcommand, and anything else as it is") {
    CHECK(offered("run_command", command(R"(["git","diff","--stat"])")) ==
          "run_command git diff --stat …");
    CHECK(offered("run_command", command(R"(["git","diff","src"])")) == "run_command git diff …");
    // The second word of a subcommand is a part of it.
    CHECK(offered("run_command", command(R"(["git","stash","list"])")) ==
          "run_command git stash list …");
    CHECK(offered("run_command", command(R"(["gh","pr","view","3"])")) ==
          "run_command gh pr view …");
    for (const char* any :
         {R"(["git","submodule","foreach","git status"])", R"(["git","config","user.name"])",
          R"(["gh","api","user"])", R"(["git","bisect","run","sh","-c","x"])"}) {
      CAPTURE(any);
      CHECK(offered("run_command", command(any)).find("…") == std::string::npos);
    }
    CHECK(offered("run_command", command(R"(["npm","run","test"])")) ==
          "run_command npm run test …");
    CHECK(offered("run_command", command(R"(["uv","run","--with","x","pytest"])")) ==
          "run_command uv run --with x pytest");
    CHECK(offered("run_command", command(R"(["uv","run","python","x.py"])")) ==
          "run_command uv run python x.py");
    CHECK(offered("run_command", command(R"(["docker","run","debian","ls"])")) ==
          "run_command docker run debian ls");
    CHECK(offered("run_command", command(R"(["./check.sh"])")) == "run_command ./check.sh");
    CHECK(offered("run_command", command(R"(["rm","-rf","x"])")) == "run_command rm -rf x");
    CHECK(offered("run_command", command(R"(["sh","-c","git diff"])")) ==
          R"(run_command sh -c "git diff")");
    CHECK(offered("run_command", command(R"(["find","src","-delete"])")) ==
          "run_command find src -delete");
    CHECK(offered("run_command", command(R"(["/usr/bin/sudo","rm","x"])")) ==
          "run_command /usr/bin/sudo rm x");
    CHECK(offered("run_command", R"({"argv":["git","diff"],"cwd":"sub"})") ==
          "run_command in:sub git diff");
  }

  TEST_CASE("a file is offered with its folder, a page with its host, another call as it is") {
    CHECK(offered("edit_file", R"({"path":"src/a/b.cc"})") == "edit_file src/a/…");
    CHECK(offered("edit_file", R"({"path":"b.cc"})") == "edit_file b.cc");
    CHECK(offered("edit_file", R"({"path":"src/../b.cc"})") == "edit_file b.cc");
    CHECK(offered("http_get", R"({"url":"https://a.org/x?y"})") == "http_get https://a.org/…");
    CHECK(offered("edit_file", R"({"path":"../b.cc"})") == "edit_file //b.cc");
    CHECK(offered("memory.learn", R"({"content":"x"})") == R"(memory.learn {"content":"x"})");
    CHECK(offered("h.exec", R"({"path":"src/a","command":"ls"})") ==
          R"(h.exec {"command":"ls","path":"src/a"})");
    CHECK(offered("run_command", "{") == "none");
    CHECK(offered("edit_file", R"({"path":")" + std::string(300, 'a') + R"("})") == "none");
  }

  TEST_CASE("a rule holds for calls like the one that it was made for") {
    const std::string diff = command(R"(["git","diff","--stat"])");
    CHECK(allows("run_command", diff, command(R"(["git","diff","--stat","src"])")));
    CHECK_FALSE(allows("run_command", diff, command(R"(["git","diff"])")));
    CHECK_FALSE(allows("run_command", diff, command(R"(["git","diff","--stat","--output=a"])")));
    const std::string plain = command(R"(["git","diff","src"])");
    CHECK(allows("run_command", plain, command(R"(["git","diff"])")));
    CHECK_FALSE(allows("run_command", plain, command(R"(["git","diff","--output=a"])")));
    CHECK_FALSE(allows("run_command", plain, command(R"(["git","diff","src","-Ovi"])")));
    CHECK(allows("run_command", command(R"(["npm","run","test"])"),
                 command(R"(["npm","run","test","unit"])")));
    CHECK_FALSE(allows("run_command", command(R"(["npm","run","test"])"),
                       command(R"(["npm","run","deploy"])")));
    CHECK_FALSE(allows("h.exec", R"({"path":"src/a","command":"ls"})",
                       R"({"path":"src/a","command":"rm"})"));
    CHECK(allows("h.exec", R"({"path":"src/a","command":"ls"})",
                 R"({"command":"ls", "path":"src/a"})"));
    CHECK_FALSE(allows("run_command", diff, command(R"(["git","push"])")));
    CHECK_FALSE(allows("run_command", diff, command(R"(["git"])")));
    CHECK_FALSE(allows("run_command", diff, R"({"argv":["git","diff"],"cwd":"sub"})"));
    CHECK_FALSE(
        allows("run_command", command(R"(["./check.sh"])"), command(R"(["./check.sh","--fix"])")));
    CHECK(allows("edit_file", R"({"path":"src/a.cc"})", R"({"path":"./src/x/b.cc"})"));
    CHECK_FALSE(allows("edit_file", R"({"path":"src/a.cc"})", R"({"path":"src/../b.cc"})"));
    CHECK_FALSE(allows("edit_file", R"({"path":"src/a.cc"})", R"({"path":"/src/b.cc"})"));
    CHECK_FALSE(allows("edit_file", R"({"path":"src/a.cc"})", R"({"path":"src"})"));
    CHECK_FALSE(allows("http_get", R"({"url":"https://a.org/x"})", R"({"url":"http://a.org/x"})"));
    CHECK_FALSE(
        allows("http_get", R"({"url":"https://a.org/x"})", R"({"url":"https://a.org@b.org/x"})"));
  }

  TEST_CASE("a path is compared as the tools resolve it, and a refused program by its name") {
    const test::TemporaryFolder folder;
    namespace fs = std::filesystem;
    fs::create_directories(folder.path + "/root/secret");
    fs::create_directories(folder.path + "/root/src");
    fs::create_directory_symlink("../secret", folder.path + "/root/src/link");
    const std::string root = folder.path + "/root";
    const ApprovalRule secret{
        .root = root, .tool = "edit_file", .parts = {"secret"}, .is_front = true};
    for (const std::string& path :
         {std::string("secret/a"), std::string("src/../secret/a"), std::string("src/link/a"),
          root + "/secret/a", std::string("./secret//a")}) {
      CAPTURE(path);
      CHECK(meets(secret, "edit_file", R"({"path":")" + path + R"("})"));
    }
    const ApprovalRule source{
        .root = root, .tool = "edit_file", .parts = {"src"}, .is_front = true, .allows = true};
    CHECK(meets(source, "edit_file", R"({"path":"src/a"})"));
    CHECK_FALSE(meets(source, "edit_file", R"({"path":"src/link/a"})"));

    const ApprovalRule touch{
        .root = root, .tool = "run_command", .parts = {"touch"}, .is_front = true};
    for (const std::string_view call :
         {R"({"argv":["touch","a"]})", R"({"argv":["/usr/bin/touch","a"]})",
          R"({"argv":["touch","a"],"cwd":"./"})", R"({"argv":["touch","a"],"cwd":"src"})",
          R"({"argv":["/bin/touch"],"cwd":"src/.."})"}) {
      CAPTURE(call);
      CHECK(meets(touch, "run_command", call));
    }
    const ApprovalRule check{
        .root = root, .tool = "run_command", .parts = {"./check.sh"}, .allows = true};
    CHECK(meets(check, "run_command", R"({"argv":["./check.sh"],"cwd":"src/.."})"));
    CHECK(meets(check, "run_command", R"({"argv":["./check.sh"],"cwd":")" + root + R"("})"));
    CHECK_FALSE(meets(check, "run_command", R"({"argv":["./check.sh"],"cwd":"src"})"));
  }

  TEST_CASE("rules are kept outside of a store; one that refuses comes first") {
    const test::TemporaryFolder folder;
    const spoor::MapEnvironment environment = home_in(folder.path);
    const cli::ApprovalRules rules(environment);
    const std::string push = command(R"(["git","push","origin"])");
    CHECK(rules.find("/work", "run_command", push).value() == std::nullopt);

    ApprovalRule rule = *cli::offered_rule("/work", "run_command", push);
    REQUIRE(rules.keep(rule));
    REQUIRE(rules.keep(rule));
    CHECK(rules.find("/work", "run_command", push).value() == rule);
    CHECK(rules.find("/other", "run_command", push).value() == std::nullopt);
    rule.allows = false;
    rule.is_front = false;
    rule.parts = {"git", "push", "origin"};
    REQUIRE(rules.keep(rule));
    CHECK(rules.find("/work", "run_command", push).value() == rule);
    CHECK(rules.find("/work", "run_command", command(R"(["git","push"])")).value()->allows);
    const auto mode = std::filesystem::status(rules.path()).permissions();
    CHECK((mode & std::filesystem::perms::others_read) == std::filesystem::perms::none);
  }

  TEST_CASE("a file that is not a list of rules allows nothing, and is not written over") {
    for (const char* text : {"{", "{}", R"([{"root":"/work","tool":"x","allow":1}])",
                             R"([{"root":"/work","tool":"x","begins":[],"allow":true}])",
                             R"([{"root":"/work","tool":"x","begins":"a","allow":true}])",
                             R"([{"tool":"x","allow":true}])"}) {
      CAPTURE(text);
      const test::TemporaryFolder folder;
      const spoor::MapEnvironment environment = home_in(folder.path);
      const cli::ApprovalRules rules(environment);
      std::filesystem::create_directories(std::filesystem::path(rules.path()).parent_path());
      std::ofstream(rules.path()) << text;
      CHECK(rules.find("/work", "x", "{}").error().code == Error::Code::invalid);
      CHECK_FALSE(rules.keep({.root = "/work", .tool = "x", .parts = {"a"}, .allows = true}));
    }
  }
}
