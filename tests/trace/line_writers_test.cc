#include "trace/line_writers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using spoor::trace::FileChange;
using spoor::trace::kNoEdit;
using spoor::trace::LineWriters;
using spoor::trace::Writers;

namespace {

/// An edit of a file that is known before: `old` becomes `now`.
FileChange replacement(std::string file, std::string old, std::string now) {
  FileChange change;
  change.before = std::move(file);
  change.replacements = {{std::move(old), std::move(now), false}};
  return change;
}

FileChange whole(std::string before, std::string after) {
  FileChange change;
  change.before = std::move(before);
  change.after = std::move(after);
  return change;
}

/// The writers of each line, one character a line: a digit, `-` for no edit, `?` for several.
std::string shown(const std::vector<Writers>& lines) {
  std::string text;
  for (const Writers& writers : lines) {
    if (writers.size() > 1) {
      text += '?';
    } else {
      text += writers.front() == kNoEdit ? '-' : static_cast<char>('0' + writers.front());
    }
  }
  return text;
}

const std::string kFirst = "def load_the_prices(cart):\n";
const std::string kSecond = "    return sum_of_the_cart(cart)\n";
const std::string kThird = "def print_the_receipt(cart):\n";
const std::string kNew = "    check_the_coupon_of(cart)\n";

}  // namespace

TEST_SUITE("trace/line_writers") {
  TEST_CASE("an edit writes the lines that it adds, and no other") {
    LineWriters writers;
    writers.edit(0, 0, replacement(kFirst + kSecond, kSecond, kNew + kSecond));
    CHECK(shown(writers.of(kFirst + kNew + kSecond)) == "-0-");
  }

  TEST_CASE("a change within a line writes the line") {
    LineWriters writers;
    writers.edit(0, 0, replacement(kFirst + kSecond, "sum_of", "total_of"));
    CHECK(shown(writers.of(kFirst + "    return total_of_the_cart(cart)\n")) == "-0");
  }

  TEST_CASE("lines that a person adds after an edit are no edit's") {
    LineWriters writers;
    writers.edit(0, 0, whole("", kFirst + kSecond));
    CHECK(shown(writers.of(kFirst + kSecond + kThird)) == "00-");
  }

  TEST_CASE("of two equal lines, one of which a person added, none is certain") {
    LineWriters writers;
    writers.edit(0, 0, whole("", kFirst + "\n" + kThird));
    CHECK(shown(writers.of(kFirst + "\n\n" + kThird)) == "0??0");
  }

  TEST_CASE("line ends do not count") {
    LineWriters writers;
    writers.edit(0, 0, whole("", "def a_function_of_one(cart):\n    return the_only_one\n"));
    CHECK(shown(writers.of("def a_function_of_one(cart):\r\n    return the_only_one\r\n")) == "00");
  }

  TEST_CASE("a short line that was typed again elsewhere has no certain writer") {
    LineWriters writers;
    writers.edit(0, 0, whole("", "break\n" + kFirst + kSecond + kThird));
    CHECK(shown(writers.of(kFirst + kSecond + "break\n" + kThird)) == "00?0");
  }

  TEST_CASE("a squashed commit has the lines of both edits, though the file was another between") {
    LineWriters writers;
    const std::string base = kFirst + kThird;
    writers.base(base);
    writers.edit(0, 0, replacement(base, kFirst, kFirst + kSecond));
    writers.edit(1, 0, replacement(kFirst + kSecond + kThird, kThird, kThird + kNew));
    writers.head(base);
    const std::string squashed = kFirst + kSecond + kThird + kNew;
    writers.commit(squashed, {base}, true);
    writers.head(squashed);
    CHECK(shown(writers.of(squashed)) == "-0-1");
  }

  TEST_CASE("a rebase takes lines from two sides") {
    LineWriters writers;
    const std::string base = kFirst + kSecond + kThird;
    const std::string topic = base + kNew;
    const std::string upstream = "# the prices of the whole shop\n" + base;
    writers.base(base);
    writers.edit(0, 0, replacement(base, kThird, kThird + kNew));
    writers.commit(topic, {base}, true);
    writers.commit(upstream, {base}, false);
    writers.commit("# the prices of the whole shop\n" + topic, {upstream}, true);
    CHECK(shown(writers.of("# the prices of the whole shop\n" + topic)) == "----0");
  }

  TEST_CASE("a patch's signs are what the model meant, and its place must be the only one") {
    LineWriters writers;
    FileChange patch;
    patch.is_patch = true;
    patch.diff = {{'@', "@@"}, {' ', "def load_the_prices(cart):"}, {'+', ""}, {' ', ""}};
    writers.base(kFirst + "\n" + kThird);
    writers.head(kFirst + "\n" + kThird);
    writers.edit(0, 0, patch);
    CHECK(shown(writers.of(kFirst + "\n\n" + kThird)) == "-0--");
  }

  TEST_CASE("a block that may begin a line earlier has no certain ends") {
    // The file before the edit is not known, and the diff shows one of two.
    const std::string brace = "    } while (is_open(cart));\n";
    FileChange change;
    change.diff = {{'@', "@@ -1,2 +1,4 @@"},
                   {' ', kFirst.substr(0, kFirst.size() - 1)},
                   {'+', brace.substr(0, brace.size() - 1)},
                   {'+', kNew.substr(0, kNew.size() - 1)},
                   {' ', brace.substr(0, brace.size() - 1)}};
    LineWriters writers;
    writers.edit(0, 0, change);
    CHECK(shown(writers.of(kFirst + brace + kNew + brace)) == "??0?");
  }

  TEST_CASE("the context of a patch that cannot be placed says nothing of who wrote it") {
    LineWriters writers;
    writers.edit(0, 0, whole("", kFirst + kSecond + "    break\n"));
    FileChange patch;
    patch.is_patch = true;
    patch.diff = {{'@', "@@"},
                  {'-', "    a line that nobody saw before"},
                  {'+', "def print_the_receipt(cart):"},
                  {' ', "{"},
                  {' ', "    break"},
                  {' ', "    return sum_of_the_cart(cart)"}};
    writers.edit(1, 0, patch);
    CHECK(shown(writers.of(kFirst + kThird + "{\n    break\n" + kSecond)) == "01-??");
  }

  TEST_CASE("an edit whose record shows another file does not go on from the one that is known") {
    LineWriters writers;
    writers.edit(0, 0, whole("", kFirst + kSecond));
    FileChange change;
    change.replacements = {{kSecond, kNew + kSecond, false}};
    change.diff = {{'@', "@@ -2,2 +2,3 @@"},
                   {' ', kThird.substr(0, kThird.size() - 1)},
                   {'+', kNew.substr(0, kNew.size() - 1)},
                   {' ', kSecond.substr(0, kSecond.size() - 1)}};
    writers.edit(1, 0, change);
    CHECK(shown(writers.of(kFirst + kThird + kNew + kSecond)) == "0?10");
  }

  TEST_CASE("an edit that cannot be placed may have written any new line") {
    LineWriters writers;
    FileChange change;
    change.replacements = {{"nowhere in the file", "anything", false}};
    writers.base(kFirst);
    writers.head(kFirst);
    writers.edit(0, 0, change);
    CHECK(shown(writers.of(kFirst + kSecond)) == "-?");
  }

  TEST_CASE("a command that names the file may have written any new line until the next edit") {
    LineWriters writers;
    writers.base(kFirst);
    writers.head(kFirst);
    writers.unknown_edit(0, 0);
    writers.edit(1, 0, replacement(kFirst + kSecond, kSecond, kSecond + kThird));
    CHECK(shown(writers.of(kFirst + kSecond + kThird + kNew)) == "-?1-");
  }

  TEST_CASE("an edit in another work tree is found by its lines") {
    LineWriters writers;
    writers.base(kFirst + kThird);
    writers.head(kFirst + kThird);
    writers.edit(0, 1, replacement(kFirst + kThird, kFirst, kFirst + kSecond + kNew));
    writers.commit(kFirst + kSecond + kNew + kThird, {kFirst + kThird}, true);
    CHECK(shown(writers.of(kFirst + kSecond + kNew + kThird)) == "-00-");
  }

  TEST_CASE("edits give the file as they left it, with the writer of each line") {
    LineWriters writers;
    CHECK(!writers.edited());
    writers.edit(0, 0, whole("", kFirst + kSecond));
    writers.edit(1, 0, replacement(kFirst + kSecond, kSecond, kSecond + kThird));
    writers.edit(2, 1, whole("", kNew));  // In another folder.
    const auto found = writers.edited();
    REQUIRE(found);
    CHECK(found->lines.size() == 3);
    CHECK(found->lines[0] + "\n" == kFirst);
    CHECK(shown(found->writers) == "001");
    CHECK(found->by == 1);
    CHECK(found->missing == 0);
    writers.unknown_edit(3, 0);
    FileChange change;
    change.replacements = {{"nowhere in the file", "anything", false}};
    writers.edit(4, 0, change);
    CHECK(writers.edited()->lines == found->lines);
    CHECK(writers.edited()->by == 1);
    CHECK(writers.edited()->missing == 2);
    writers.edit(5, 0, replacement(kFirst + kNew, kNew, kThird));
    CHECK(writers.edited()->missing == 0);
    CHECK(shown(writers.edited()->writers).size() == 2);
  }

  TEST_CASE("a replacement in a file that no edit gives leaves nothing to show") {
    LineWriters writers;
    FileChange change;
    change.replacements = {{"before", "after", false}};
    writers.edit(0, 0, change);
    CHECK(!writers.edited());
  }

  TEST_CASE("a file that is written whole over an unknown one has no certain new lines") {
    LineWriters writers;
    FileChange change;
    change.after = kFirst + kSecond;
    writers.base(kFirst);
    writers.head(kFirst);
    writers.edit(0, 0, change);
    CHECK(shown(writers.of(kFirst + kSecond)) == "-?");
  }
}
