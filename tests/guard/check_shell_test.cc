#include "guard/check/shell.h"

#include <doctest/doctest.h>

#include "guard/check/commands.h"
#include "guard/check/languages.h"
#include "guard/check/table.h"
#include "tests/guard/check_events.h"
#include "trace/patch.h"

namespace spoor::guard::check {
namespace {

// Each command as `folder$ program word … > file < input`, a line each.
std::string shown(const Commands& commands) {
  std::string text;
  for (const Command& command : commands.all) {
    if (!command.folder.empty()) text += command.folder + "$ ";
    text += command.program;
    for (const Word& word : command.words) text += " [" + word.text + "]";
    for (const Redirect& redirect : command.redirects) {
      text += " " + redirect.op + "[" + redirect.to.text + "]";
    }
    if (!command.fed_by.empty()) {
      text += " <-";
      for (const std::string& name : command.fed_by) text += " " + name;
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("guard/check/shell") {
  TEST_CASE("which programs a script runs, and with which words") {
    struct Row {
      const char* script;
      const char* commands;
    };
    for (const Row& row : {
             Row{"ls -l 'a b' \"c d\" e\\ f", "ls [-l] [a b] [c d] [e f]\n"},
             Row{"a; b && c || d & e\nf", "a\nb\nc\nd\ne\nf\n"},
             Row{"a | b |& c", "a\nb <- a\nc <- b a\n"},
             Row{"echo a#b # rm -rf /", "echo [a#b]\n"},
             Row{"A=1 B='2 3' make C=4", "make [C=4]\n"},
             Row{"x > out 2>&1 < in 2>/dev/null", "x >[out] <[in] >[/dev/null]\n"},
             Row{"x &> all >| forced >>more", "x &>[all] >|[forced] >>[more]\n"},
             Row{"if test -f a; then rm a; else touch a; fi", "test [-f] [a]\nrm [a]\ntouch [a]\n"},
             Row{"for f in *; do echo $f; done", "for [f] [in] [*]\necho [$f]\n"},
             Row{"while true; do sleep 1; done", "true\nsleep [1]\n"},
             Row{"{ a; b; }; ! c", "a\nb\nc\n"},
             Row{"a $(b \"$(c)\") `d`", "a [$(b \"$(c)\")] [`d`] <- b d\nb [$(c)] <- c\nc\nd\n"},
             Row{"diff <(sort a) <(sort b)",
                 "diff [<(sort a)] [<(sort b)] <- sort sort\nsort [a]\nsort [b]\n"},
             Row{"cat <<EOF\nrm -rf /\nEOF\nls", "cat\nls\n"},
             Row{"cat <<-'EOF' > f\n\ta\n\tEOF\nls", "cat >[f]\nls\n"},
             Row{"bash <<'EOF'\nrm a\nEOF", "bash\nrm [a]\n"},
             Row{"bash -lc 'cd x && rm y'", "bash [-lc] [cd x && rm y]\ncd [x]\nx$ rm [y]\n"},
             Row{"[[ a > b && c < d ]] && e", "[[ [a > b && c < d]\ne\n"},
             Row{"echo $'a\\tb\\x2f'", "echo [a\\tb\\x2f]\n"},
             Row{"(cd a; b); c", "cd [a]\na$ b\nc\n"},
             Row{"(cd a); (b)", "cd [a]\nb\n"},
             Row{"cd a; cd b; c; cd /d; e; cd \"$X\"; f",
                 "cd [a]\na$ cd [b]\na/b$ c\na/b$ cd [/d]\n/d$ e\n/d$ cd [$X]\n?$ f\n"},
             Row{"sudo -u root env A=b nice -n 5 timeout -k 1 5 rm a", "rm [a]\n"},
             Row{"find . -name '*.o' | xargs -0 -n 1 rm -f",
                 "find [.] [-name] [*.o]\nrm [-f] [{}] <- find\n"},
             Row{"echo a b | xargs rm", "echo [a] [b]\nrm [{}] <- echo\n"},
             Row{"xargs -I@ cp x @/y <<< d", "cp [x] [@/y]\n"},
             Row{"[[ -d a ]]; b > c", "[[ [-d a]\nb >[c]\n"},
             Row{"[[ a ]]|b", "[[ [a]\nb <- [[\n"},
             Row{"if [[ a =~ (b|c) ]]; then d; fi", "[[ [a =~ (b|c)]\nd\n"},
             Row{"'[[' && a > b", "[[\na >[b]\n"},
             Row{"bash -euo pipefail -c 'a'", "bash [-euo] [pipefail] [-c] [a]\na\n"},
             Row{"bash --rcfile f +e -c a", "bash [--rcfile] [f] [+e] [-c] [a]\na\n"},
             Row{"bash -o pipefail -c a b", "bash [-o] [pipefail] [-c] [a] [b]\na\n"},
             Row{"exec 3<>/dev/tcp/h/80", "exec <>[/dev/tcp/h/80]\n"},
             Row{"exec {fd}> a", "exec >[a]\n"},
             Row{"command -v ls > a", "command [-v] [ls] >[a]\n"},
             Row{"env > a", "env >[a]\n"},
             Row{"time -o a b", "b >[a]\n"},
             Row{"cat <<E\n$(a)\n\\$(b)\nE", "cat <- a\na\n"},
             Row{"cat <<'E'\n$(a)\nE", "cat\n"},
             Row{"A=(b $(c)) d", "d <- c\nc\n"},
             Row{"a {b} '{c,d}' e{1..3}", "a [{b}] [{c,d}] [e{1..3}]\n"},
             Row{"time -p a", "a\n"},
             Row{"sudo -uroot A=b c d", "c [d]\n"},
             Row{"nice -n5 a; setarch -R b; uv run c", "a\nsetarch [-R] [b]\nc\n"},
             Row{"env --chdir=d a", "d$ a\n"},
             Row{"{ a; b; } | c", "a\nb\nc\n"},
             Row{"(a) | b; a |\nc", "a\nb\na\nc <- a\n"},
             Row{"find a b -type f -exec rm {} \\;",
                 "find [a] [b] [-type] [f] [-exec] [rm] [{}] [;]\nrm [a/*] [b/*]\n"},
             Row{"command -v rm", "command [-v] [rm]\n"},
             Row{"x=$(curl y)", " <- curl\ncurl [y]\n"},
             Row{"echo ${a:-$(b)}", "echo [${a:-$(b)}] <- b\nb\n"},
             Row{"echo $((1 + 2))", "echo [$((1 + 2))]\n"},
             Row{"/usr/bin/rm a", "rm [a]\n"},
             Row{"a \\\n  b", "a [b]\n"},
             Row{"f() { rm a; }", "rm [a]\n"},
             Row{"", ""},
             Row{"'unclosed", "unclosed\n"},
             Row{"a $(b", "a [$(b] <- b\nb\n"},
             Row{"<<< x bash", "bash\nx\n"},
         }) {
      CAPTURE(std::string(row.script));
      CHECK(shown(commands_of_script(row.script, "")) == std::string(row.commands));
    }
  }

  TEST_CASE("an argument vector is one program, unless it is a shell's") {
    CHECK(shown(commands_of_argv({"echo", "a; rm -rf /", "> b"}, "")) ==
          "echo [a; rm -rf /] [> b]\n");
    CHECK(shown(commands_of_argv({"sh", "-c", "a; b"}, "d")) == "d$ sh [-c] [a; b]\nd$ a\nd$ b\n");
    CHECK(shown(commands_of_argv({}, "")).empty());
  }

  TEST_CASE("what is nested without end is not read to its end, and says so") {
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "$(";
    CHECK_FALSE(read_script(deep).is_whole);
    std::string shells = "rm a";
    for (int i = 0; i < 20; ++i) shells = "bash -c " + spoor::json::write_string(shells);
    CHECK_FALSE(commands_of_script(shells, "").is_whole);
    CHECK(read_script("a $(b $(c))").is_whole);
  }

  TEST_CASE("what is not read is named") {
    struct Row {
      const char* script;
      const char* unread;
    };
    for (const Row& row :
         {Row{"f() { a; }", "a function"}, Row{"function f { a; }", "'function'"},
          Row{"case $x in a) b ;; esac", "'case'"}, Row{"a=(b c); d", "an array"},
          Row{"(( x = 1 )); a", "a sum"}, Row{"for (( i = 0; i < 9; ++i )); do a; done", "a sum"},
          Row{"coproc a", "'coproc'"}, Row{"rm !(a)", "a function"}, Row{"a )", "a bracket"}}) {
      CAPTURE(std::string(row.script));
      const Script script = read_script(row.script);
      REQUIRE_FALSE(script.unread.empty());
      CHECK(script.unread.front() == row.unread);
      CHECK_FALSE(commands_of_script(row.script, "").unclear.empty());
    }
    // Sequences stand for names that nobody has expanded, escapes for bytes.
    CHECK_FALSE(read_script("a b{1..9}").commands[0].words[1].is_certain);
    CHECK(read_script("a stash@{0} '{b,c}' {}").commands[0].words[1] == Word{"stash@{0}"});
    CHECK_FALSE(read_script("a $'\\x72'").commands[0].words[1].is_certain);
    CHECK(read_script("a $'b c'").commands[0].words[1] == Word{"b c"});
  }

  TEST_CASE("what stands in quotes, comments and documents is no command") {
    for (const char* script :
         {"[[ \"a ]]\" == b ]] && c", "git commit -m \"$(cat <<'E'\ndon't; c\nE\n)\"; c",
          "a # 'b\nc", "cat <<E | a\n'; x\nE\nc"}) {
      CAPTURE(std::string(script));
      const Commands found = commands_of_script(script, "");
      REQUIRE_FALSE(found.all.empty());
      CHECK(found.all.back().program == "c");
      CHECK(found.unclear.empty());
    }
  }

  TEST_CASE("what it is unclear is said") {
    const auto is_unclear = [](const char* script) {
      spoor::json::Object arguments;
      arguments.add_string("command", script);
      return !effects_of_action("Bash", arguments.write()).unclear.empty();
    };
    for (const char* script : {"$X a",
                               "\"$PYTHON\" a",
                               "eval \"a $x\"",
                               "bash -c \"$X\"",
                               "sh <<E\n$X\nE",
                               "a | sh",
                               "echo $X | sh",
                               "bash <(echo a)",
                               "source <(echo a)",
                               "{ echo a; b; } | sh",
                               "env $X a",
                               "sudo $X",
                               "$(a) b",
                               "TMPDIR=/x; rm -r $TMPDIR/y",
                               "some-program",
                               "ls | some-program",
                               "scp -S ./x a b",
                               "make CC=x",
                               "LD_PRELOAD=x ls",
                               "MY_OPTIONS=1 ls",
                               "X=/a/b ls",
                               "X=\"a b\" ls",
                               "tar cf a.tar *"}) {
      CAPTURE(std::string(script));
      CHECK(is_unclear(script));
    }
    for (const char* script :
         {"ls $X", "sh <<'E'\nls\nE", "bash x.sh", "source \"V/activate\"", "ls | python3 x.py",
          "bash -c 'ls $X'", "for i in $X; do ls $i; done", "X=$Y", "find . | xargs ls",
          "make VERBOSE=1", "tar cf a.tar a", "CI=1 npm test"}) {
      CAPTURE(std::string(script));
      CHECK_FALSE(is_unclear(script));
    }
  }

  TEST_CASE("braces are expanded as bash does, and no quoted ones") {
    const auto words_of = [](const char* script) {
      std::string text;
      const Script read = read_script(script);
      for (const Word& word : read.commands.at(0).words) {
        text += (text.empty() ? "" : " ") + word.text + (word.is_certain ? "" : "?");
      }
      return text;
    };
    CHECK(words_of("mkdir -p src/{a,b}") == "mkdir -p src/a src/b");
    CHECK(words_of("{rm,-rf,/}") == "rm -rf /");
    CHECK(words_of("x a{b{c,d},e}f") == "x abcf abdf aef");
    CHECK(words_of("x a{,.b}") == "x a a.b");
    CHECK(words_of("x '{a,b}' \\{a,b} {a\",\"b} {} {a} a,b {a,b") ==
          "x {a,b} {a,b} {a,b} {} {a} a,b {a,b");
    CHECK(words_of("x {a,$y}") == "x a? $y?");
    CHECK(words_of("x {1..3}") == "x {1..3}?");
    // Too many for anybody to have meant them.
    CHECK(words_of("x {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}").ends_with("}?"));
    CHECK(read_script("x \x01 a").unread == std::vector<std::string>{"a control character"});
  }

  TEST_CASE("a program is named as it was typed, whichever row it shares") {
    const auto why = [](const char* script) {
      spoor::json::Object arguments;
      arguments.add_string("command", script);
      const auto unclear = effects_of_action("Bash", arguments.write()).unclear;
      return unclear.empty() ? "" : unclear.front();
    };
    for (const char* name : {"vim", "nano", "top", "gdb", "history", "getopts", "mapfile"}) {
      CAPTURE(std::string(name));
      CHECK(why(name).starts_with(std::string("it is unclear what '") + name + "' does: "));
    }
    CHECK(why("podman --host x ps") == "it is unclear what 'podman --host' runs");
  }

  TEST_CASE("variables of a shell alone are no program's, and those that programs see are judged") {
    const auto is_clear = [](const char* script) {
      spoor::json::Object arguments;
      arguments.add_string("command", script);
      return effects_of_action("Bash", arguments.write()).unclear.empty();
    };
    for (const char* script :
         {"local X=1", "local X=/a/b", "declare -i N=0", "readonly X=\"a b\"", "FOO=bar ls",
          "export FOO=bar", "read -r LINE", "for i in a; do ls; done"}) {
      CAPTURE(std::string(script));
      CHECK(is_clear(script));
    }
    for (const char* script :
         {"local PATH=./x", "declare -x FOO=/a/b", "declare -n X=PATH", "export FOO=/a/b",
          "export FOO=\"a b\"", "MY_EDITOR=x git commit", "FOO=-x ls", "FOO=$X ls", "read PATH",
          "read -a PATH", "for PATH in a; do ls; done", "unset PATH",
          "select IFS in a; do ls; done"}) {
      CAPTURE(std::string(script));
      CHECK_FALSE(is_clear(script));
    }
  }

  TEST_CASE("the table of programs is read, and a mistake in it is named") {
    CHECK(check_table("[a]\nflag = \"xy --long\"\n[a-group]\nprograms = \"b c\""));
    for (const char* wrong : {"a = 1", "[a]\nflags = \"x\"", "[a]\noperands = \"all\"",
                              "[a]\nskip = -1", "[variables]\nall = \"x\"", "["}) {
      CAPTURE(std::string(wrong));
      CHECK_FALSE(check_table(wrong));
    }
    REQUIRE(program_named("git log") != nullptr);
    CHECK(program_named("gtar") != nullptr);
    CHECK(program_named("some-program") == nullptr);
    CHECK(program_named("cargo clippy") != nullptr);
  }

  TEST_CASE("options are taken apart by the row of their program") {
    const auto shown_options = [](const char* program, std::vector<std::string> texts) {
      std::vector<Word> words;
      for (std::string& text : texts) words.push_back({std::move(text)});
      const Options given = options_of(*program_named(program), words, false);
      std::string text;
      for (const Option& option : given.options)
        text += option.name + '(' + option.value.text + ')';
      for (const Word& word : given.operands) text += ' ' + word.text;
      for (const std::string& name : given.unknown) text += " ?" + name;
      return text;
    };
    CHECK(shown_options("sort", {"-ruo", "a", "b"}) == "-r()-u()-o(a) b");
    CHECK(shown_options("sort", {"-oa", "--outp=b", "--", "-c"}) == "-o(a)--output(b) -c");
    CHECK(shown_options("sort", {"-Q", "--new"}) == "-Q()--new() ?-Q ?--new");
    CHECK(shown_options("find", {".", "-name", "a", "-delete"}) == "-name(a)-delete() .");
    CHECK(shown_options("sed", {"-i.bak", "-e", "p", "a"}) == "-i(.bak)-e(p) a");
    CHECK(shown_options("bash", {"+e", "a"}) == "-e() a");
  }

  TEST_CASE("code is plain where each of its commands is known") {
    for (const char* code : {"1,80p", "s/a/b/g", "s#a/b##; /^x/d", "/a/,/b/{s/x/y/;p}", "$!N",
                             "2i\\\ntext; w f", "y/ab/cd/", "/a/!d", "s/\\(a\\)/\\1/2p", "10q"}) {
      CAPTURE(std::string(code));
      CHECK_FALSE(doubt_of("sed", code));
    }
    for (const char* code : {"e", "1e id", "s/a/b/e", "s/a/b/w f", "w f", "/a/w f",
                             "s/[/]/e;s/x/y/", "s/a/b", "W f", "p;e", "{e}", "s/a/b/ge"}) {
      CAPTURE(std::string(code));
      CHECK(doubt_of("sed", code));
    }
    for (const char* code : {"{print $1}", "$3 > 100", "{ if ($1 > 2 || $2) print }", "/a|b/",
                             "{ print \"a | b > c\" }", "{ print ($1 > 2) }"}) {
      CAPTURE(std::string(code));
      CHECK_FALSE(doubt_of("awk", code));
    }
    for (const char* code :
         {"{system(\"x\")}", "{print > \"f\"}", "{print | \"sh\"}", "\"x\" | getline",
          "@load \"x\"", "{ f = \"system\"; @f(\"x\") }", "{ printf \"a\" >> \"f\" }"}) {
      CAPTURE(std::string(code));
      CHECK(doubt_of("awk", code));
    }
    CHECK_FALSE(doubt_of("perl", "s/a/b/g"));
    for (const char* code :
         {"s/a/b/e", "s/a/`x`/", "system 'x'", "s/(?{x})//", "s/a/@{[x]}/", "s/a/b/;exec 'x'"}) {
      CAPTURE(std::string(code));
      CHECK(doubt_of("perl", code));
    }
    CHECK(doubt_of("python", "print(1)"));
    CHECK_FALSE(doubt_of_sql("select 1; insert into t values (1)"));
    for (const char* sql : {".shell id", "\\! id", "copy t to program 'x'",
                            "select writefile('a','b')", "select 1 \\! id", "attach 'x' as y"}) {
      CAPTURE(std::string(sql));
      CHECK(doubt_of_sql(sql));
    }
  }

  TEST_CASE("files that a patch names") {
    using Files = std::vector<std::string>;
    CHECK(trace::files_of_patch("--- a/x.cc\n+++ b/x.cc\n@@ -1 +1 @@\n-a\n+b\n") == Files{"x.cc"});
    CHECK(trace::files_of_patch("--- /dev/null\n+++ b/new\n") == Files{"new"});
    CHECK(trace::files_of_patch(
              "*** Begin Patch\n*** Update File: a/b.py\n*** Move to: c.py\n*** Add "
              "File: d\n*** End Patch") == Files{"a/b.py", "c.py", "d"});
    CHECK(trace::files_of_patch("diff --git a/x b/y\nrename from x\nrename to y\n") ==
          Files{"x", "y"});
    // Text that only looks like one.
    CHECK(trace::files_of_patch("+++ b/x alone\nrename to y\n*** Update File: z").empty());
  }

  TEST_CASE("what a call does, by the tool's name and its arguments") {
    const auto changes = [](const char* tool, const char* arguments) {
      std::string text;
      for (const Change& change : effects_of_action(tool, arguments).changes) {
        text += (text.empty() ? "" : " ") + change.path;
      }
      return text;
    };
    CHECK(changes("write_file", R"({"path":"a","content":"b"})") == "a");
    CHECK(changes("Edit", R"({"file_path":"/r/a","old_string":"b","new_string":"c"})") == "/r/a");
    CHECK(changes("mcp__fs__edit_file", R"({"path":"a"})") == "a");
    CHECK(changes("str_replace_editor", R"({"command":"create","path":"a"})") == "a");
    CHECK(changes("str_replace_editor", R"({"command":"view","path":"a"})").empty());
    CHECK(changes("apply_patch", "*** Begin Patch\n*** Add File: a\n*** End Patch") == "a");
    CHECK(changes("apply_patch", R"({"input":"*** Begin Patch\n*** Add File: a\n"})") == "a");
    CHECK(changes("shell", R"({"command":["apply_patch","*** Begin Patch\n*** Add File: a\n"]})") ==
          "a");
    CHECK(changes("Bash",
                  R"({"command":"echo x > a; cp b c; mv d e; sed -i s/x/y/ f; sed s/x/y/ g"})") ==
          "a c d e f");
    CHECK(changes("Read", R"({"file_path":"a"})").empty());
    CHECK(changes("grep", R"({"path":"a","pattern":"b"})").empty());
    CHECK(effects_of_action("http_get", R"({"url":"https://a/b"})").urls.size() == 1);
    CHECK(effects_of_action("anything", "no JSON").is_whole == false);
  }
}

}  // namespace spoor::guard::check
