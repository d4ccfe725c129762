#include "trace/edit_lines.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/trace/stage.h"
#include "trace/edits.h"
#include "trace/file_change.h"
#include "trace/tool_call.h"

using spoor::trace::edit_in_result;
using spoor::trace::FileEdit;

namespace {

/// The edits of a call as `path +added -removed`, `?` for what it is unclear.
std::string edits(const std::string& tool, const std::string& arguments) {
  std::string out;
  const auto count = [](const std::optional<std::int64_t>& lines) {
    return lines ? std::to_string(*lines) : std::string("?");
  };
  for (const FileEdit& edit : spoor::trace::read_tool_call(tool, arguments).edits) {
    if (!out.empty()) out += ", ";
    out += edit.path + " +" + count(edit.added) + " -" + count(edit.removed);
  }
  return out;
}

const std::string kPatch =
    "*** Begin Patch\n*** Update File: src/a.c\n@@ int main\n int x;\n-int y;\n+int z;\n+int w;\n"
    "*** Add File: b.txt\n+one\n+two\n*** Delete File: old.txt\n*** End Patch\n";

}  // namespace

TEST_SUITE("trace/edit_lines") {
  TEST_CASE("a patch without a file, and a count that is no count, tell nothing") {
    CHECK(edits("apply_patch", R"({"patch":"@@ -1 @@\n+foo\n-bar\n"})").empty());
    CHECK(edits("apply_patch", R"({"patch":"@@ -1,2 garbage\n+foo\n"})").empty());
    const std::string all =
        edits("replace",
              R"({"file_path":"a","old_string":"b","new_string":"c","expected_replacements":-5})");
    CHECK(all == "a +? -?");
  }

  TEST_CASE("a patch of Codex' tells the lines of each file, but for a deleted one") {
    const std::string all = "src/a.c +2 -1, b.txt +2 -0, old.txt +0 -?";
    CHECK(edits("apply_patch", kPatch) == all);
    CHECK(edits("shell", R"({"command":["apply_patch","*** Begin Patch\n*** Add File: b\n+1"]})") ==
          "b +1 -0");
    CHECK(edits("exec_command",
                R"({"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b\n+1\nEOF"})") ==
          "b +1 -0");
    CHECK(edits("exec", R"(await tools.apply_patch("*** Begin Patch\n*** Add File: b\n+1");)") ==
          "b +1 -0");
  }

  TEST_CASE("a patch that a command applies edits its files, if their folder is known") {
    const auto read = [](const std::string& script) {
      std::string out;
      const auto call = spoor::trace::read_tool_call(
          "shell", R"({"command":["bash","-lc",")" + script +
                       R"(\n*** Begin Patch\n*** Add File: b\n+1\nEOF"]})");
      for (const std::string& path : call.changed) out += path;
      return out;
    };
    CHECK(read("apply_patch <<'EOF'") == "b");
    CHECK(read("cd sub/folder && apply_patch <<'EOF'") == "sub/folder/b");
    CHECK(read("cd /srv && apply_patch <<'EOF'") == "/srv/b");
    CHECK(read("cd $HOME && apply_patch <<'EOF'").empty());
    CHECK(read("make && apply_patch <<'EOF'").empty());
    CHECK(read("cat <<'EOF'").empty());

    spoor::testing::TraceStage stage;
    stage.answer(
        "", {{"t", "shell",
              R"({"command":["bash","-lc","cd sub && apply_patch <<'EOF'\n*** Begin Patch\n)"
              R"(*** Update File: b\n@@\n-old\n+new\n*** Delete File: c\n*** End Patch\nEOF"]})"}});
    stage.result("t", "Done!");
    const auto calls = stage.all<spoor::trace::Call>();
    const auto& reader = stage.repository->reader();
    const auto edits = spoor::trace::edits_of(reader, calls.at(0)).value();
    REQUIRE(edits.size() == 2);
    CHECK(edits[0].path == "sub/b");
    CHECK(edits[0].added == 1);
    CHECK(edits[0].removed == 1);
    const auto change = spoor::trace::change_of(reader, calls[0], "sub/b").value();
    REQUIRE(change.diff.size() == 3);
    CHECK(change.diff[2].text == "new");
    CHECK_FALSE(change.is_deletion);
    CHECK(spoor::trace::change_of(reader, calls[0], "sub/c").value().is_deletion);
  }

  TEST_CASE("a unified diff is counted by its hunks") {
    CHECK(
        edits(
            "patch",
            R"({"patchText":"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n"})") ==
        "x.py +1 -1");
    CHECK(edits("patch", R"({"diff":"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- a/o\n)"
                         R"(+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"})") == "n +1 -0, o +0 -1");
  }

  TEST_CASE("old and new text are compared line by line, whatever they are called") {
    CHECK(edits("Edit", R"({"file_path":"a","old_string":"x\ny\nz","new_string":"x\nY\nz\nw"})") ==
          "a +2 -1");
    CHECK(edits("edit", R"({"path":"a","oldText":"x","newText":""})") == "a +0 -1");
    CHECK(edits("edit", R"({"filePath":"a","oldString":"","newString":"x\ny\n"})") == "a +2 -0");
    CHECK(edits("str_replace_editor",
                R"({"command":"str_replace","path":"a","old_str":"x","new_str":"x\ny"})") ==
          "a +1 -0");
    CHECK(edits("MultiEdit", R"({"file_path":"a","edits":[{"old_string":"x","new_string":"y"},)"
                             R"({"old_string":"p\nq","new_string":"p"}]})") == "a +1 -2");
    CHECK(edits("edit", R"({"path":"a","edits":[{"oldText":"x","newText":"y"}]})") == "a +1 -1");
  }

  TEST_CASE("of a text that is replaced everywhere it is unclear how often") {
    CHECK(edits("Edit",
                R"({"file_path":"a","old_string":"x","new_string":"y","replace_all":true})") ==
          "a +? -?");
    CHECK(edits("replace", R"({"file_path":"a","old_string":"x","new_string":"y",)"
                           R"("expected_replacements":3})") == "a +3 -3");
  }

  TEST_CASE("a whole file tells what is added, and what is lost only where it is new") {
    CHECK(edits("Write", R"({"file_path":"a","content":"1\n2\n3"})") == "a +3 -?");
    CHECK(edits("write_file", R"({"file_path":"a","content":""})") == "a +0 -?");
    CHECK(edits("str_replace_editor", R"({"command":"create","path":"a","file_text":"1\n"})") ==
          "a +1 -0");
    CHECK(edits("str_replace_editor",
                R"({"command":"insert","path":"a","insert_line":3,"new_str":"1\n2"})") ==
          "a +2 -0");
    CHECK(edits("NotebookEdit",
                R"({"notebook_path":"n","new_source":"1\n2","edit_mode":"insert"})") == "n +2 -0");
  }

  TEST_CASE("what only looks, and what cannot be read, has no edits") {
    CHECK(edits("str_replace_editor", R"({"command":"view","path":"a"})").empty());
    CHECK(edits("Read", R"({"file_path":"a"})").empty());
    CHECK(edits("Edit", "{torn").empty());
    CHECK(edits("Edit", R"({"file_path":"a"})").empty());
  }

  TEST_CASE("a result tells the lines of the patch that its source attached") {
    CHECK(edit_in_result(R"({"toolUseResult":{"filePath":"a","structuredPatch":[)"
                         R"({"lines":[" x","-y","+z","+w"]}]}})") == FileEdit{"a", 2, 1});
    CHECK(edit_in_result(R"({"toolUseResult":{"type":"create","filePath":"a"}})") ==
          FileEdit{"a", std::nullopt, 0});
    CHECK(edit_in_result(R"({"message":{"details":{"diff":"   1 x\n-  2 y\n+  2 z\n"}}})") ==
          FileEdit{"", 1, 1});
    CHECK(
        edit_in_result(
            R"({"message":{"details":{"diff":"+1 x","patch":"--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"}}})") ==
        FileEdit{"a", 1, 1});
    CHECK_FALSE(edit_in_result(R"({"toolUseResult":{"stdout":""}})"));
    CHECK_FALSE(edit_in_result("no JSON"));
  }
}
