#include "base/json/reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace spoor;
using namespace spoor::json;
using namespace std::string_literals;
using Status = Reading::Status;

namespace {

Reading::Status status_of(std::string_view text) {
  Document document;
  return parse_one(text, document).status;
}

std::string text_of(std::string_view json) { return parse(json).value().root().text(); }

}  // namespace

TEST_SUITE("base/json/reader") {
  TEST_CASE("a value knows the exact bytes it was read from") {
    const std::string source = R"( { "a" : [ 1, 2.50 ,{"b": null } ], "c":"x\u0041" } )";
    const Document document = parse(source).value();
    const Value root = document.root();
    CHECK(root.raw() == R"({ "a" : [ 1, 2.50 ,{"b": null } ], "c":"x\u0041" })");
    CHECK(root.find("a").raw() == R"([ 1, 2.50 ,{"b": null } ])");
    CHECK(root.find("c").raw() == R"("x\u0041")");
    CHECK(root.find("c").text() == "xA");
    CHECK(root.find("a").offset() == 9);
  }

  TEST_CASE("members keep their order and their duplicates, and the last one is found") {
    const Document document = parse(R"({"b":1,"a":2,"b":3})").value();
    std::string keys;
    for (const Member& member : document.root().members()) {
      keys += member.key.text() + std::string(member.value.raw()) + " ";
    }
    CHECK(keys == "b1 a2 b3 ");
    CHECK(document.root().find("b").integer() == 3);
    CHECK(document.root().size() == 3);
  }

  TEST_CASE("an escaped key is found by what it means") {
    CHECK(parse(R"({"\u0061b":7})").value().root().find("ab").integer() == 7);
  }

  TEST_CASE("elements are walked in order, nested ones stepped over") {
    const Document document = parse(R"([[1,2],{"a":[3]},"x",[]])").value();
    std::string raws;
    for (const Value& element : document.root().elements())
      raws += std::string(element.raw()) + ";";
    CHECK(raws == R"([1,2];{"a":[3]};"x";[];)");
    CHECK(document.root().size() == 4);
  }

  TEST_CASE("a missing or mistyped value gives empty answers") {
    const Document document = parse(R"({"a":1})").value();
    const Value missing = document.root().find("b");
    CHECK_FALSE(missing);
    CHECK(missing.text().empty());
    CHECK(missing.raw().empty());
    CHECK(missing.size() == 0);
    CHECK_FALSE(missing.find("c"));
    CHECK_FALSE(missing.integer());
    CHECK_FALSE(document.root().find("a").plain_text());
    CHECK_FALSE(document.root().find("a").find("x"));
    CHECK_FALSE(Document().root());
  }

  TEST_CASE("a document may be moved while its values are in use") {
    const std::string source = R"({"a":[1,2,3]})";
    Document first = parse(source).value();
    const Value value = first.root().find("a");
    const Document second = std::move(first);
    CHECK(value.raw() == "[1,2,3]");
    CHECK(second.root().find("a").size() == 3);
  }

  TEST_CASE("number tokens survive, however long") {
    const Document document =
        parse("[12345678901234567890, -0, 1E+400, 0.10, 9223372036854775807]").value();
    std::string raws;
    for (const Value& element : document.root().elements())
      raws += std::string(element.raw()) + ";";
    CHECK(raws == "12345678901234567890;-0;1E+400;0.10;9223372036854775807;");
    CHECK_FALSE((*document.root().elements().begin()).integer());
  }

  TEST_CASE("escapes are undone") {
    CHECK(text_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
    CHECK(text_of(R"("\u00e9\u20AC")") == "\xc3\xa9\xe2\x82\xac");
    CHECK(text_of(R"("\ud83d\ude00")") == "\xf0\x9f\x98\x80");
    CHECK(text_of(R"("\u0000")") == "\0"s);
  }

  TEST_CASE("a lone surrogate becomes its three WTF-8 bytes") {
    CHECK(text_of(R"("\ud83d")") == "\xed\xa0\xbd");
    CHECK(text_of(R"("\ude00x")") == "\xed\xb8\x80x");
    CHECK(text_of(R"("\ud83d\ud83d\ude00")") == "\xed\xa0\xbd\xf0\x9f\x98\x80");
    CHECK(text_of(R"("\ud83d\n")") == "\xed\xa0\xbd\n");
  }

  TEST_CASE("raw control characters and broken UTF-8 stay as they are inside strings") {
    CHECK(text_of("\"a\0b\x01\n\x7f\""s) == "a\0b\x01\n\x7f"s);
    CHECK(text_of("\"\xff\xc3\x28\"") == "\xff\xc3\x28");
  }

  TEST_CASE("two values glued together are read one after the other") {
    const std::string_view line = R"({"a":1}{"b":2})";
    Document document;
    const Reading first = parse_one(line, document);
    REQUIRE(first);
    CHECK(document.root().find("a").integer() == 1);
    const Reading second = parse_one(line.substr(first.end), document);
    REQUIRE(second);
    CHECK(document.root().find("b").integer() == 2);
    CHECK(first.end + second.end == line.size());
  }

  TEST_CASE("every proper prefix of an object is torn, never malformed") {
    const std::string whole =
        R"({"a":[true,false,null,-1.5e+3,"x\n\u00e9\ud83d\ude00"],"b":{},"c":[]})";
    Document document;
    for (std::size_t cut = 1; cut < whole.size(); ++cut) {
      CAPTURE(cut);
      CHECK(status_of(std::string_view(whole).substr(0, cut)) == Status::torn);
    }
    CHECK(status_of(whole) == Status::value);
  }

  TEST_CASE("what is no JSON is malformed, with the byte where it went wrong") {
    Document document;
    const auto fails_at = [&](std::string_view text) {
      const Reading reading = parse_one(text, document);
      CHECK(reading.status == Status::malformed);
      CHECK_FALSE(document.root());
      return reading.end;
    };
    CHECK(fails_at("hello") == 0);
    CHECK(fails_at(R"({"a":1,})") == 7);
    CHECK(fails_at(R"({"a" 1})") == 5);
    CHECK(fails_at(R"([1 2])") == 3);
    CHECK(fails_at(R"(["\x"])") == 2);
    CHECK(fails_at(R"(["\u12g4"])") == 2);
    CHECK(fails_at("[01]") == 1);
    CHECK(fails_at("[.5]") == 1);
    CHECK(fails_at("[1.]") == 3);
    CHECK(fails_at("[nul]") == 1);
    CHECK(fails_at("{1:2}") == 1);
    CHECK(fails_at("}") == 0);
    CHECK(fails_at("[1}") == 2);
    CHECK(fails_at("\0"s) == 0);
  }

  TEST_CASE("a text of white space holds nothing") {
    CHECK(status_of("") == Status::nothing);
    CHECK(status_of(" \r\n\t") == Status::nothing);
    CHECK(parse("").error().code == spoor::Error::Code::invalid);
  }

  TEST_CASE("the whole text must be the value") {
    CHECK(parse("1 ").has_value());
    CHECK(parse("1 2").error().message.find("byte 2") != std::string::npos);
  }

  TEST_CASE("a thousand levels are read and one more is refused") {
    const std::string fits = std::string(1000, '[') + std::string(1000, ']');
    const std::string deep = std::string(1001, '[') + std::string(1001, ']');
    CHECK(status_of(fits) == Status::value);
    CHECK(status_of(deep) == Status::malformed);
    CHECK(status_of(std::string(1'000'000, '[')) == Status::malformed);
  }

  TEST_CASE("quotes and backslashes are found at every distance") {
    for (std::size_t length = 0; length < 70; ++length) {
      const std::string body(length, 'x');
      CHECK(text_of("\"" + body + "\"") == body);
      CHECK(text_of("\"" + body + "\\n" + body + "\"") == body + "\n" + body);
    }
  }
}
