#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <doctest/doctest.h>

#include "agent/builtin/glob.h"
#include "agent/builtin/kept_output.h"
#include "builtin_stage.h"
#include "tests/support/sanitized.h"

namespace spoor::agent::builtin {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_SUITE("agent/builtin/files") {
  bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  mode_t mode_of(const fs::path& path) {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 07777U;
  }

  std::string lines(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
    return text;
  }

  // read_file

  TEST_CASE("a file is read with its lines numbered") {
    Stage stage;
    stage.put("a.txt", "one\n\ttwo\r\nthree");
    const ToolResult result = stage.call("read_file", {{"path", "a.txt"}});
    CHECK(result.text == "     1\tone\n     2\t\ttwo\r\n     3\tthree");
    CHECK_FALSE(result.is_error);
    CHECK(result.facts.text("path") == "a.txt");
    CHECK(result.attach.empty());
  }

  TEST_CASE("a part of a file says what comes after it") {
    Stage stage;
    stage.put("a", lines(10));
    CHECK(stage.call("read_file", {{"path", "a"}, {"offset", 4}, {"limit", 2}}).text ==
          "     4\tline 4\n     5\tline 5\n"
          "[lines 4 to 5 of a file of 71 bytes; to go on: offset 6]");
    CHECK(stage.call("read_file", {{"path", "a"}, {"offset", 10}, {"limit", 1}}).text ==
          "    10\tline 10\n");
    const ToolResult past = stage.call("read_file", {{"path", "a"}, {"offset", 11}});
    CHECK(past.is_error);
    CHECK(past.text == "'a' has 10 lines; there is no line 11");
    stage.put("empty", "");
    CHECK(stage.call("read_file", {{"path", "empty"}}).text == "[the file is empty]");
  }

  TEST_CASE("the data of what was read has neither numbers nor notes") {
    const Stage stage;
    const auto data = [&](const nlohmann::json& arguments) {
      return stage.tool("read_file").data_of(stage.call("read_file", arguments).text);
    };
    const std::string text = "one\n\n     7\tseven\r\n[lines 1 to 2]\nlast";
    stage.put("a", text);
    stage.put("empty", "");
    CHECK(data({{"path", "a"}}) == text);
    CHECK(data({{"path", "a"}, {"offset", 3}, {"limit", 2}}) ==
          "     7\tseven\r\n[lines 1 to 2]\n");
    CHECK(data({{"path", "empty"}}).empty());
  }

  TEST_CASE("a long file is read on from where it was cut, and nothing is lost") {
    Stage stage;
    stage.settings.output_cap = 1000;
    std::string whole;
    for (int i = 0; i < 500; ++i)
      whole += std::string(static_cast<std::size_t>(i % 90), 'x') + "\n";
    stage.put("a", whole);
    std::string read;
    int offset = 1;
    for (int calls = 0; offset > 0 && calls < 500; ++calls) {
      const std::string text = stage.call("read_file", {{"path", "a"}, {"offset", offset}}).text;
      CHECK(text.size() < 1100);
      offset = 0;
      std::size_t at = 0;
      while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        at = end == std::string::npos ? text.size() : end + 1;
        if (line.starts_with("[lines")) {
          offset = std::stoi(line.substr(line.find("offset ") + 7));
        } else {
          read += line.substr(7) + "\n";
        }
      }
    }
    CHECK(read == whole);
  }

  TEST_CASE("a line that is longer than anything is cut between code points") {
    Stage stage;
    stage.settings.output_cap = 1000;
    std::string bytes;
    for (int i = 0; i < 100'000; ++i) bytes += "ä";
    stage.put("a", bytes + "\nnext\n");
    const std::string text = stage.call("read_file", {{"path", "a"}}).text;
    CHECK(text.substr(0, 9) == "     1\tä");
    CHECK(holds(text, "ä\n[line 1 is longer than what fits here and was cut]\n[lines 1 to 1 of"));
    CHECK(holds(text, "to go on: offset 2]"));
    CHECK(stage.call("read_file", {{"path", "a"}, {"offset", 2}}).text == "     2\tnext\n");
  }

  TEST_CASE("a binary file is refused, one that is merely no UTF-8 is not") {
    Stage stage;
    stage.put("program", std::string("\x7f"
                                     "ELF\0\0",
                                     6));
    const ToolResult refused = stage.call("read_file", {{"path", "program"}});
    CHECK(refused.is_error);
    CHECK(refused.text == "'program' is binary, not text: a NUL byte at 4, 6 bytes in all");
    stage.put("latin", "caf\xe9\n");
    CHECK(stage.call("read_file", {{"path", "latin"}}).text == "     1\tcaf\xe9\n");
  }

  TEST_CASE("a stop ends a read") {
    Stage stage;
    stage.put("a", "x");
    std::stop_source stop;
    stop.request_stop();
    const ToolResult result = stage.call("read_file", {{"path", "a"}}, {.stop = stop.get_token()});
    CHECK(result.is_error);
    CHECK(result.text == "interrupted");
  }

  // write_file

  TEST_CASE("a new file comes with the folders on its way, and its diff") {
    Stage stage;
    const ToolResult result =
        stage.call("write_file", {{"path", "./src/new/a.cc"}, {"content", "one\ntwo\n"}});
    CHECK(result.text == "made './src/new/a.cc': 2 lines, 8 bytes");
    CHECK(stage.get("src/new/a.cc") == "one\ntwo\n");
    CHECK(result.facts.text("artifact") == "file_edit");
    CHECK(result.facts.text("path") == "src/new/a.cc");
    CHECK(result.facts.json("lines_added") == "2");
    CHECK(result.facts.json("lines_removed") == "0");
    REQUIRE(result.attach.size() == 1);
    CHECK(result.attach[0] ==
          compile::Item{"--- /dev/null\n+++ b/src/new/a.cc\n@@ -0,0 +1,2 @@\n+one\n+two\n",
                        "text/x-diff"});
    CHECK(std::distance(fs::directory_iterator(stage.root() / "src/new"), {}) == 1);
  }

  TEST_CASE("a file that is written anew keeps its mode") {
    Stage stage;
    stage.put("run.sh", "old\n");
    fs::permissions(stage.root() / "run.sh", fs::perms(0750));
    const ToolResult result = stage.call("write_file", {{"path", "run.sh"}, {"content", "new\n"}});
    CHECK(result.text == "wrote 'run.sh' anew: 1 line, 4 bytes");
    CHECK(stage.get("run.sh") == "new\n");
    CHECK(mode_of(stage.root() / "run.sh") == 0750);
    CHECK(result.attach.at(0).bytes == "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-old\n+new\n");
  }

  TEST_CASE("what is there already is not written again") {
    Stage stage;
    stage.put("a", "same");
    struct stat before {};
    struct stat after {};
    ::stat((stage.root() / "a").c_str(), &before);
    const ToolResult result = stage.call("write_file", {{"path", "a"}, {"content", "same"}});
    ::stat((stage.root() / "a").c_str(), &after);
    CHECK(result.text == "'a' has that content already");
    CHECK(before.st_ino == after.st_ino);
    CHECK(result.attach.empty());
    CHECK(result.facts.text("artifact").empty());
  }

  TEST_CASE("neither links nor folders, pipes or read-only files are written to") {
    Stage stage;
    stage.put("real", "x");
    fs::create_symlink("real", stage.root() / "link");
    fs::create_symlink(stage.outside() / "new", stage.root() / "dangling");
    fs::create_directory(stage.root() / "folder");
    CHECK(::mkfifo((stage.root() / "pipe").c_str(), 0600) == 0);
    stage.put("locked", "x");
    fs::permissions(stage.root() / "locked", fs::perms(0444));
    for (const char* path : {"link", "dangling", "folder", "new_folder/", "pipe", "locked"}) {
      CAPTURE(path);
      CHECK(stage.call("write_file", {{"path", path}, {"content", "y"}}).is_error);
      CHECK(stage.call("edit_file", {{"path", path}, {"old", "x"}, {"new", "y"}}).is_error);
    }
    CHECK(stage.get("real") == "x");
    CHECK(stage.get("locked") == "x");
    CHECK(fs::is_symlink(stage.root() / "link"));
    CHECK(fs::is_empty(stage.outside()));
    // No temporary file is left.
    CHECK(std::distance(fs::directory_iterator(stage.root()), {}) == 6);
  }

  TEST_CASE("a binary file is written over, and the diff says only that") {
    Stage stage;
    stage.put("a", std::string("\0\1", 2));
    const ToolResult result = stage.call("write_file", {{"path", "a"}, {"content", "text"}});
    CHECK_FALSE(result.is_error);
    CHECK(result.attach.at(0).bytes == "Files a/a and b/a differ\n");
    CHECK(result.facts.json("lines_added").empty());
    CHECK(result.facts.text("artifact") == "file_edit");
  }

  TEST_CASE("a path too long for a fact is in the diff alone") {
    Stage stage;
    std::string path;
    for (int i = 0; i < 5; ++i) path += std::string(150, 'd') + "/";
    const ToolResult result = stage.call("write_file", {{"path", path + "f"}, {"content", "x"}});
    REQUIRE_FALSE(result.is_error);
    CHECK(result.facts.text("path").empty());
    CHECK(compile::write_facts(result.facts).value().size() < 1024);
    CHECK(holds(result.attach.at(0).bytes, path + "f"));
  }

  // edit_file

  TEST_CASE("an edit changes what it names and nothing else") {
    Stage stage;
    const std::string before = "caf\xe9\r\nint x = 1;\r\nlast";
    stage.put("a.c", before);
    const ToolResult result =
        stage.call("edit_file", {{"path", "a.c"}, {"old", "x = 1"}, {"new", "x = 2"}});
    CHECK(result.text == "edited 'a.c' at line 2");
    CHECK(stage.get("a.c") == "caf\xe9\r\nint x = 2;\r\nlast");
    CHECK(result.facts.json("lines_added") == "1");
    CHECK(result.facts.json("lines_removed") == "1");
    CHECK(holds(result.attach.at(0).bytes, "-int x = 1;\r\n+int x = 2;\r\n"));
  }

  TEST_CASE("an edit must have one place, unless all are meant") {
    Stage stage;
    stage.put("a", "x\ny\nx\n");
    const ToolResult refused = stage.call("edit_file", {{"path", "a"}, {"old", "x"}, {"new", "z"}});
    CHECK(refused.is_error);
    CHECK(refused.text ==
          "'a' holds the text in 'old' more than once: at lines 1, 3; give more of what is around "
          "it, or set 'all'");
    CHECK(stage.get("a") == "x\ny\nx\n");
    const ToolResult all =
        stage.call("edit_file", {{"path", "a"}, {"old", "x"}, {"new", "zx"}, {"all", true}});
    CHECK(all.text == "edited 'a' at 2 places");
    CHECK(stage.get("a") == "zx\ny\nzx\n");
    // Places that overlap are two as well.
    stage.put("b", "aaa");
    CHECK(stage.call("edit_file", {{"path", "b"}, {"old", "aa"}, {"new", "c"}}).is_error);
    CHECK_FALSE(stage.call("edit_file", {{"path", "b"}, {"old", "aa"}, {"new", "c"}, {"all", true}})
                    .is_error);
    CHECK(stage.get("b") == "ca");
  }

  TEST_CASE("an edit that finds nothing says what may be wrong") {
    Stage stage;
    stage.put("dos", "one\r\ntwo\r\n");
    stage.put("unix", "if (x) {\n    go();\n}\n");
    const auto edit = [&](const char* path, const char* old) {
      const ToolResult result =
          stage.call("edit_file", {{"path", path}, {"old", old}, {"new", ""}});
      CHECK(result.is_error);
      return result.text;
    };
    CHECK(holds(edit("dos", "one\ntwo"), "end with CR LF"));
    CHECK(holds(edit("unix", "{\r\n    go"), "end with LF alone"));
    CHECK(holds(edit("unix", "if (x) {\n\tgo();"), "with other white space"));
    CHECK(edit("unix", "stop()") ==
          "'unix' does not hold the text in 'old'; read the file again; it must be exact, white "
          "space too");
    CHECK(edit("nothing", "x") == "there is no 'nothing'");
    CHECK(holds(edit("unix", ""), "'old' is empty"));
    CHECK(stage.call("edit_file", {{"path", "unix"}, {"old", "x"}, {"new", "x"}}).is_error);
  }

  TEST_CASE("an edit that nobody could finish takes no time and no memory") {
    Stage stage;
    stage.put("a", std::string(4'000'000, 'a'));
    const auto start = std::chrono::steady_clock::now();
    CHECK(stage
              .call("edit_file",
                    {{"path", "a"}, {"old", std::string(100'000, 'a') + "b"}, {"new", ""}})
              .is_error);
    if (!spoor::testing::kIsSanitized)
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    const ToolResult huge = stage.call(
        "edit_file",
        {{"path", "a"}, {"old", "a"}, {"new", std::string(1'000'000, 'b')}, {"all", true}});
    CHECK(huge.is_error);
    CHECK(holds(huge.text, "would be longer than 67,108,864 bytes"));
  }

  TEST_CASE("while a folder is swapped for a link, nothing is written outside") {
    Stage stage;
    fs::create_directory(stage.root() / "folder");
    const std::string folder = (stage.root() / "folder").string();
    const std::string link = (stage.root() / "link").string();
    fs::create_directory_symlink(stage.outside(), link);
    std::ofstream(stage.outside() / "file") << "outside";
    std::atomic<bool> is_over = false;
    std::thread swapper([&] {
      while (!is_over) {
        ::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
      }
    });
    const Tool write = stage.tool("write_file");
    const Tool edit = stage.tool("edit_file");
    int written = 0;
    int refused = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int i = 0; i < 2000 || written == 0 || refused == 0; ++i) {
      if (std::chrono::steady_clock::now() > end) break;
      const json arguments = {{"path", "folder/file"}, {"content", std::to_string(i)}};
      ++(write.run(arguments.dump(), {}).is_error ? refused : written);
      edit.run(R"({"path":"folder/file","old":"outside","new":"inside"})", {});
    }
    is_over = true;
    swapper.join();
    CHECK(written > 0);
    CHECK(refused > 0);
    CHECK(Stage::bytes_of(stage.outside() / "file") == "outside");
    CHECK(std::distance(fs::directory_iterator(stage.outside()), {}) == 1);
  }

  TEST_CASE("while a file is swapped for a link, what the link leads to stays as it is") {
    Stage stage;
    std::ofstream(stage.outside() / "file") << "outside";
    const std::string file = (stage.root() / "file").string();
    std::atomic<bool> is_over = false;
    std::thread swapper([&] {
      while (!is_over) {
        ::unlink(file.c_str());
        if (::symlink((stage.outside() / "file").c_str(), file.c_str()) != 0) continue;
      }
    });
    const Tool write = stage.tool("write_file");
    for (int i = 0; i < 2000; ++i) write.run(R"({"path":"file","content":"inside"})", {});
    is_over = true;
    swapper.join();
    CHECK(Stage::bytes_of(stage.outside() / "file") == "outside");
  }

  // list

  TEST_CASE("a listing is sorted and says what is what") {
    Stage stage;
    stage.put("src/b.cc", "");
    stage.put("src/deep/c.cc", "");
    stage.put("README.md", "");
    stage.put(".git/config", "");
    fs::create_symlink("src/b.cc", stage.root() / "link");
    stage.put("odd\nname", "");
    CHECK(stage.call("list", json::object()).text ==
          ".git/\nREADME.md\nlink -> src/b.cc\n\"odd\\nname\"\nsrc/\n");
    CHECK(stage.call("list", {{"path", "src"}, {"depth", 3}}).text ==
          "src/b.cc\nsrc/deep/\nsrc/deep/c.cc\n");
    CHECK(stage.call("list", {{"depth", 2}}).text ==
          ".git/\nREADME.md\nlink -> src/b.cc\n\"odd\\nname\"\nsrc/\nsrc/b.cc\nsrc/deep/\n");
    CHECK(stage.call("list", {{"path", ".git"}}).text == ".git/config\n");
    CHECK(stage.call("list", {{"path", "src/b.cc"}}).is_error);
    CHECK(stage.call("list", {{"path", ".."}}).is_error);
    fs::create_directory(stage.root() / "empty");
    CHECK(stage.call("list", {{"path", "empty"}}).text == "[the folder is empty]");
  }

  TEST_CASE("links are not walked into, not even circles") {
    Stage stage;
    stage.put("a/file", "needle");
    fs::create_directory_symlink("..", stage.root() / "a/up");
    fs::create_directory_symlink(stage.outside(), stage.root() / "a/out");
    std::ofstream(stage.outside() / "secret") << "needle";
    CHECK(stage.call("list", {{"depth", 64}}).text ==
          "a/\na/file\na/out -> " + stage.outside().string() + "\na/up -> ..\n");
    CHECK(stage.call("grep", {{"pattern", "needle"}}).text == "a/file:1:needle\n");
  }

  TEST_CASE("a listing that is too long says so") {
    Stage stage;
    stage.settings.output_cap = 1000;
    for (int i = 0; i < 300; ++i) stage.put("file" + std::to_string(i), "");
    const std::string text = stage.call("list", json::object()).text;
    CHECK(text.size() < 1100);
    CHECK(text.ends_with("\n[more was left out: list a folder in it, or with less depth]"));
  }

  TEST_CASE("a folder deeper than what is walked is passed over, and that is said") {
    Stage stage;
    fs::path path = stage.root();
    for (int i = 0; i < 80; ++i) path /= "d";
    fs::create_directories(path);
    CHECK(stage.call("list", {{"depth", 64}})
              .text.ends_with("could not be read, or hold too much]") ==
          false);  // It was asked for no more.
    CHECK(holds(stage.call("grep", {{"pattern", "x"}}).text, "could not be read"));
  }

  // grep

  TEST_CASE("grep gives path, line and text") {
    Stage stage;
    stage.put("a/one.cc", "first\nint main() {}\r\nthe main thing main\nend");
    stage.put("a/two.h", "main");
    stage.put("binary", std::string("main\0", 5));
    stage.put(".git/x", "main");
    CHECK(stage.call("grep", {{"pattern", "main"}}).text ==
          "a/one.cc:2:int main() {}\na/one.cc:3:the main thing main\na/two.h:1:main\n");
    CHECK(stage.call("grep", {{"pattern", "main"}}).facts.json("matches") == "3");
    CHECK(stage.call("grep", {{"pattern", "main"}, {"glob", "*.h,*.md"}}).text ==
          "a/two.h:1:main\n");
    CHECK(stage.call("grep", {{"pattern", "main"}, {"glob", "a/*.h"}}).text == "a/two.h:1:main\n");
    CHECK(stage.call("grep", {{"pattern", "MAIN("}, {"ignore_case", true}}).text ==
          "a/one.cc:2:int main() {}\n");
    CHECK(stage.call("grep", {{"pattern", "main"}, {"path", "a/two.h"}}).text ==
          "a/two.h:1:main\n");
    CHECK(stage.call("grep", {{"pattern", "end"}, {"path", "a"}}).text == "a/one.cc:4:end\n");
  }

  TEST_CASE("grep that finds nothing says so, and that its pattern is plain") {
    Stage stage;
    stage.put("a", "int main()\n");
    CHECK(stage.call("grep", {{"pattern", "nothing"}}).text == "[no line matches]\n");
    CHECK(stage.call("grep", {{"pattern", "int.*main"}}).text ==
          "[no line matches; the pattern is plain text unless 'regex' is set]\n");
    CHECK(stage.call("grep", {{"pattern", "a\nb"}}).is_error);
    CHECK(stage.call("grep", {{"pattern", "x"}, {"path", "nothing"}}).is_error);
    CHECK(stage.call("grep", {{"pattern", "x"}, {"path", "../outside"}}).is_error);
  }

  TEST_CASE("grep takes regular expressions where they are asked for") {
    Stage stage;
    stage.put("a.cc", "int main() {\r\n  return f(12);\r\n}\r\n");
    CHECK(stage.call("grep", {{"pattern", "int.*\\{$"}, {"regex", true}}).text ==
          "a.cc:1:int main() {\n");
    CHECK(stage.call("grep", {{"pattern", "F\\(\\d+"}, {"regex", true}, {"ignore_case", true}})
              .text == "a.cc:2:  return f(12);\n");
    CHECK(stage.call("grep", {{"pattern", "x+y"}, {"regex", true}}).text == "[no line matches]\n");
    const ToolResult wrong = stage.call("grep", {{"pattern", "f("}, {"regex", true}});
    CHECK(wrong.is_error);
    CHECK(wrong.text ==
          "the expression is wrong: missing ): f(; without 'regex' the pattern is plain text");
  }

  TEST_CASE("many matches and long lines are cut") {
    Stage stage;
    stage.settings.output_cap = 2000;
    stage.put("long", std::string(1000, 'x') + "needle" + std::string(1000, 'y') + "\n");
    const std::string text = stage.call("grep", {{"pattern", "needle"}}).text;
    CHECK(text.size() < 500);
    CHECK(text.starts_with("long:1:[cut] xxx"));
    CHECK(holds(text, "xneedley"));
    CHECK(text.ends_with("y [cut]\n"));
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "needle\n";
    stage.put("many", many);
    const std::string cut = stage.call("grep", {{"pattern", "needle"}}).text;
    CHECK(cut.size() < 2100);
    CHECK(cut.ends_with("[more lines match: give a longer pattern, a path or a glob]\n"));
  }

  TEST_CASE("grep takes time in proportion to what it reads, whatever the pattern") {
    Stage stage;
    stage.put("a", std::string(8'000'000, 'a') + "\n");
    const auto start = std::chrono::steady_clock::now();
    CHECK(stage.call("grep", {{"pattern", std::string(200'000, 'a') + "b"}}).text ==
          "[no line matches]\n");
    if (!spoor::testing::kIsSanitized)
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  }

  TEST_CASE("a glob has stars and question marks") {
    CHECK(matches_glob("*.cc", "a.cc"));
    CHECK_FALSE(matches_glob("*.cc", "a.cch"));
    CHECK(matches_glob("a?c*", "abcdef"));
    CHECK(matches_glob("*a*b*c*", "xxaxxbxxcxx"));
    CHECK_FALSE(matches_glob("*a*b*c*", "xxaxxcxxbxx"));
    CHECK(matches_glob("", ""));
    CHECK_FALSE(matches_glob("", "a"));
    CHECK(matches_glob("***", ""));
    CHECK(matches_globs("*.h,*.cc", "x/a.cc", "a.cc"));
    CHECK(matches_globs("src/*.cc", "src/deep/a.cc", "a.cc"));
    CHECK_FALSE(matches_globs("src/*.cc", "tests/a.cc", "a.cc"));
  }

  TEST_CASE("of an output beginning and end are kept") {
    for (const std::size_t step : {1UL, 7UL, 64UL, 1000UL}) {
      KeptOutput output(100);
      std::string all;
      for (int i = 0; i < 500; ++i) all += std::to_string(i) + "\n";
      for (std::size_t at = 0; at < all.size(); at += step) {
        output.add(std::string_view(all).substr(at, step));
      }
      CHECK(output.total() == all.size());
      const std::string text = output.text(100);
      CHECK(text.starts_with("0\n1\n2\n"));
      CHECK(text.ends_with("498\n499\n"));
      const std::size_t begin = text.find('[');
      const std::size_t end = text.find("]\n") + 2;
      const std::string tail = text.substr(end);
      CHECK(all.starts_with(text.substr(0, begin)));
      CHECK(all.ends_with(tail));
      CHECK(text.substr(begin, end - begin) ==
            "[" + std::to_string(all.size() - begin - tail.size()) + " bytes left out]\n");
    }
    KeptOutput small(100);
    small.add(std::string(60, 'a'));
    small.add(std::string(40, 'b'));
    CHECK(small.text(100) == std::string(60, 'a') + std::string(40, 'b'));
    CHECK(small.text(50).starts_with(std::string(25, 'a') + "\n[50 bytes left out]\n"));
    CHECK(small.text(50).ends_with(std::string(25, 'b')));
  }
}

}  // namespace spoor::agent::builtin
