// Calls of other agents' tools: events, reports and checks read the same in them, and no check
// passes what it could not read.
#include <doctest/doctest.h>

#include "guard/check/action_type.h"
#include "guard/check/builtin.h"
#include "tests/guard/check_events.h"
#include "trace/code_calls.h"
#include "trace/event_json.h"
#include "trace/tool_call.h"

namespace spoor::guard::check {
namespace {

using trace::CodeCalls;
using trace::read_codex_javascript;

std::string type_of_call(const char* tool, const char* arguments) {
  return std::string(name_of(type_of(CallSeen{tool, arguments, {}})));
}

// The status, and the ids of what was found.
std::string scope_of_call(const char* tool, const char* arguments) {
  const auto scope = make_scope({.only = {"docs/"}}, "/srv/p");
  const auto result = scope->judge(intended(tool, arguments));
  REQUIRE(result);
  if (!result.value()) return "-";
  const std::string ids = ids_of(result.value());
  return std::string(name_of(result.value()->status)) + (ids.empty() ? "" : " " + ids);
}

constexpr const char* kReplaces =
    "{\"code\":\"edit_file_by_replace(\\n'src/App.tsx',\\nto_replace=\\\"\\\"\\\"a 'b'\\n"
    "\\\"\\\"\\\",\\nnew_content=\\\"c\\\"\\n)\"}";
constexpr const char* kDocs =
    "{\"code\":\"# one\\nappend_file('docs/a.md', content='x')\\nopen_file(\\\"src/b.cc\\\", "
    "100)\"}";
constexpr const char* kPython = "{\"code\":\"import os\\nos.remove('src/a')\"}";

}  // namespace

TEST_SUITE("guard/check/tool_call") {
  TEST_CASE("what a call does is told by its tool's name and the members of its arguments") {
    CHECK(type_of_call("execute_bash", R"({"command":"pytest -q"})") == "run_tests");
    CHECK(type_of_call("run", R"({"command":"ls","thought":"x"})") == "command");
    CHECK(type_of_call("run_ipython", kReplaces) == "edit");
    CHECK(type_of_call("run_ipython", kPython) == "command");
    CHECK(type_of_call("terminal", R"({"command":"ls"})") == "command");
    CHECK(type_of_call("create", R"({"filename":"a.py"})") == "edit");
    CHECK(type_of_call("editor", R"({"path":"a","old_text":"x","new_text":"y"})") == "edit");
    CHECK(type_of_call("run_commands", R"({"commands":["ls","make test"]})") == "run_tests");
    CHECK(type_of_call("read_files", R"({"files":[{"path":"a"}]})") == "other");
    CHECK(type_of_call("str_replace_editor", R"({"command":"view","path":"a"})") == "other");
    CHECK(type_of_call("str_replace_editor", R"({"command":"create","path":"a"})") == "edit");
    CHECK(type_of_call("exec", "const r = await tools.exec_command({cmd:\"gh pr create\"});") ==
          "open_pr");
    CHECK(type_of_call("exec", "text(await tools.write_stdin({session_id:1,chars:''}))") ==
          "other");
    CHECK(type_of_call("exec", R"({"cmd":["bash","-lc","ls"]})") == "command");
    CHECK(type_of_call("wait", R"({"cell_id":"7"})") == "other");
  }

  TEST_CASE("a line, and the files, of a program that calls tools") {
    const CallSeen call{
        "exec",
        "const p = \"*** Begin Patch\\n*** Update File: a.cc\\n*** Add File: b.cc\\n"
        "*** End Patch\";\nawait tools.apply_patch(p);\n"
        "await tools.exec_command({cmd: 'cmake --build .', workdir: '/srv/p'})",
        {}};
    CHECK(line_of(call) == "cmake --build .");
    CHECK(trace::target_of(call.tool, call.arguments) == "cmake --build .");
  }

  TEST_CASE("a program of Codex is read to its end where it does nothing but call tools") {
    const auto is_whole = [](const char* code) { return read_codex_javascript(code).is_whole; };
    CHECK(
        is_whole("const r = await tools.exec_command({cmd:\"ls\",yield_time_ms:1e3});\n"
                 "text(JSON.stringify({exit_code:r.exit_code})); // tools of mine"));
    CHECK(is_whole("const [a,b] = await Promise.all([tools.x({a:[1,{b:null}]}), tools.y()]);"));
    CHECK(is_whole("const cmd = 'ls';\nconst r = await tools.exec_command({cmd, workdir: `/x`});"));
    for (const char* code : {
             "const t = tools; t.exec_command({cmd:'rm x'})",
             "tools['exec_' + 'command']({cmd:'rm x'})",
             "tools?.exec_command({cmd:'rm x'})",
             "run(...tools)",
             "const {exec_command} = tools",
             "tools.exec_command({cmd: `rm ${x}`})",
             "tools.exec_command({cmd: 'rm ' + x})",
             "tools.exec_command(make())",
             "let c = 'ls'; c = 'rm x'; tools.exec_command({cmd: c})",
             "const c = 'rm x'; { const c = 'ls'; } tools.exec_command({cmd: c})",
             "const c = 'ls'; (c => tools.exec_command({cmd: c}))('rm x')",
             "const c = 'ls'; { let c = 'rm x'; tools.exec_command({cmd: c}) }",
             "const c = 'ls'; { const [c] = ['rm x']; tools.exec_command({cmd: c}) }",
             "`${tools.exec_command({cmd:'rm x'})}`",
             "/\"/; tools.exec_command({cmd:'rm x'}); /\"/",
             "eval('to' + 'ols')",
             "x.constructor.constructor('rm')()",
             "tools.exec_command({cmd:'never ends",
         }) {
      CAPTURE(code);
      CHECK_FALSE(is_whole(code));
    }
    const CodeCalls found = read_codex_javascript(
        "tools.a({'x-y': \"q\\\"\\u00e4\\n\", z: -1.5,}); tools.b(\"text\"); tools.c()");
    REQUIRE(found.calls.size() == 3);
    CHECK(found.calls[0].tool == "a");
    CHECK(found.calls[0].arguments == "{\"x-y\":\"q\\\"\u00e4\\n\",\"z\":-1.5}");
    CHECK(found.calls[1].arguments == "\"text\"");
    CHECK(found.calls[2].arguments == "{}");
  }

  TEST_CASE("names that stand for names do not make a program long") {
    std::string code = "const a0 = '" + std::string(1'000, 'x') + "';\n";
    for (int i = 1; i < 40; ++i) {
      const std::string last = "a" + std::to_string(i - 1);
      code += "const a" + std::to_string(i) + " = [" + last + "," + last + "," + last + "];\n";
    }
    CHECK_FALSE(read_codex_javascript(code + "tools.x(a39)").is_whole);
    std::string deep = "tools.x(";
    for (int i = 0; i < 100'000; ++i) deep += '[';
    CHECK_FALSE(read_codex_javascript(deep).is_whole);
  }
}

TEST_SUITE("guard/check/foreign_tools") {
  TEST_CASE("scope sees the files that other agents' tools change") {
    CHECK(scope_of_call("editor", R"({"path":"src/a","old_text":"x","new_text":"y"})") ==
          "fail scope.outside");
    CHECK(scope_of_call("editor", R"({"path":"docs/a","old_text":"x","new_text":"y"})") == "pass");
    CHECK(scope_of_call("run_commands", R"({"commands":["ls","touch src/a"]})") ==
          "fail scope.outside");
    CHECK(scope_of_call("create", R"({"filename":"reproduce.py"})") == "fail scope.outside");
    CHECK(scope_of_call("run_ipython", kReplaces) == "fail scope.outside");
    CHECK(scope_of_call("run_ipython", kDocs) == "pass");
    CHECK(scope_of_call("exec", "await tools.exec_command({cmd:'rm src/a'})") ==
          "fail scope.outside");
    CHECK(scope_of_call("exec", "await tools.exec_command({cmd:'rm docs/a'})") == "pass");
  }

  TEST_CASE("what calls nothing does nothing") {
    CHECK(scope_of_call("exec", "const hits = ALL_TOOLS.filter(x => x.name.includes('git'))") ==
          "-");
  }

  TEST_CASE("what could not be read is never passed") {
    CHECK(scope_of_call("run_ipython", kPython) == "unknown scope.unclear");
    CHECK(scope_of_call("run_ipython", R"x({"code":"edit_file_by_replace(name, 'a', 'b')"})x") ==
          "unknown scope.unclear");
    CHECK(scope_of_call("exec", "await tools.exec_command({cmd: make()})") ==
          "unknown scope.unclear");
    CHECK(scope_of_call("run_code", R"x({"code":"print(1)"})x") == "unknown scope.unclear");
    CHECK(scope_of_call("something", R"x({"code":"print(1)"})x") == "unknown scope.unclear");
    CHECK(scope_of_call("write_stdin", R"({"session_id":1,"chars":"rm x\n"})") ==
          "unknown scope.unclear");
    // The file that is open.
    CHECK(scope_of_call("edit", R"({"search":"a","replace":"b"})") == "unknown scope.unclear");
    // What is read of it counts all the same.
    CHECK(scope_of_call("exec", "await tools.exec_command({cmd:'rm src/a'}); go(tools)") ==
          "fail scope.outside");
    CHECK(effects_of_action("exec", "await tools.exec_command({cmd:'rm src/a'}); go(tools)")
              .unread_calls == 1);
  }

  TEST_CASE("an absolute path is judged where nothing says which folder was worked in") {
    const auto scope = make_scope({.only = {"docs/"}}, "");
    const auto found = [&](const char* arguments) {
      const auto result = scope->judge(intended("editor", arguments));
      REQUIRE(result);
      return std::string(name_of(result.value()->status)) + " " + ids_of(result.value());
    };
    CHECK(found(R"({"path":"/workspace/src/App.tsx"})") == "fail scope.outside");
    CHECK(found(R"({"path":"/workspace/docs/a.md"})") == "unknown scope.unclear");
    CHECK(found(R"({"path":"docs/a.md"})") == "pass ");
  }

  TEST_CASE("what was not read is counted, and so are tools that nobody knows") {
    CHECK(effects_of_action("run_ipython", kPython).unread_calls == 1);
    CHECK(effects_of_action("run_ipython", kReplaces).unread_calls == 0);
    CHECK(effects_of_action("send_email", R"({"to":"x"})").unknown_tools ==
          std::vector<std::string>{"send_email"});
    CHECK(effects_of_action("read_file", R"({"path":"x"})").unknown_tools.empty());
    CHECK(effects_of_action("wait", R"({"cell_id":"7"})").unknown_tools.empty());
  }
}

}  // namespace spoor::guard::check
