// A phrase is erased wherever it stands, and where it stays is said.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/json/writer.h"
#include "guard/erase/erasure.h"
#include "guard/erase/text_forms.h"
#include "store/fsck.h"
#include "tests/guard/erase_plan.h"
#include "tests/guard/finder.h"

namespace spoor::guard {
namespace {

using compile::Turn;
using compile::Type;
using graph::Draft;
using graph::Repository;
using store::Oid;
using Code = Error::Code;

const std::string kPassNumber = "C01X\"00T47é";  // Of a passport, with what JSON escapes.
const std::string kSigningKey(32, 'k');

bool is_listed(const ErasurePlan& plan, const Oid& commit) {
  return place_of(plan, commit) != nullptr;
}

}  // namespace

TEST_SUITE("guard/erase/phrase") {
  TEST_CASE(
      "a phrase is found in every part of a commit, plain, escaped and coded; then it is gone") {
    Folder folder;
    auto repository = Repository::create(folder.store()).value();
    std::vector<Oid> holders;
    holders.push_back(
        append(*repository, {.type = Type::user, .text = "my pass is " + kPassNumber + "."}));
    Turn raw{.type = Type::user, .text = "look there"};
    raw.raw = {{fmt::format(R"({{"role":"user","content":{}}})", json::write_string(kPassNumber))}};
    holders.push_back(append(*repository, raw));
    Turn escapes{.type = Type::note, .text = R"({"a":"C01X\u002200T47\u00e9"})"};
    holders.push_back(append(*repository, escapes, "refs/sources/tool/1"));
    Turn twice{
        .type = Type::note,
        .text = fmt::format(R"({{"a":{}}})",
                            json::write_string("{\"b\":" + json::write_string(kPassNumber) + "}"))};
    holders.push_back(append(*repository, twice, "refs/sources/tool/1"));
    Turn call{.type = Type::assistant, .text = "I look it up."};
    call.fields.tool_calls = {
        {"c1", "find", fmt::format(R"({{"n":{}}})", json::write_string(kPassNumber))}};
    holders.push_back(append(*repository, call));
    Turn labels{.type = Type::user, .text = "labelled"};
    labels.extra.message = "of " + kPassNumber;
    holders.push_back(append(*repository, labels));
    Turn attached{.type = Type::user, .text = "attached"};
    attached.attach = {{"number: " + kPassNumber + "\n", "text/plain"}};
    holders.push_back(append(*repository, attached));
    holders.push_back(append(*repository,
                             {.type = Type::note, .text = base64_of("xy" + kPassNumber)},
                             "refs/sources/tool/1"));
    std::string long_text(1'500'000, ' ');
    for (std::size_t i = 0; i < long_text.size(); i += 7) long_text[i] = 'a';
    long_text.insert(262'144 - 4, kPassNumber);  // Over the edge of a part.
    holders.push_back(
        append(*repository, {.type = Type::user, .text = long_text}, "refs/heads/long"));
    const Oid other = append(*repository, {.type = Type::user, .text = "my pass is C01X-00T48."});

    const auto plan = plan_phrase_erasure(*repository, "  " + kPassNumber + "\n").value();
    for (std::size_t i = 0; i < holders.size(); ++i) {
      CHECK_MESSAGE(is_listed(plan, holders[i]), i);
    }
    CHECK_FALSE(is_listed(plan, other));
    CHECK(plan.obstacles.empty());
    REQUIRE(erase(*repository, plan, "a number", kSigningKey));
    REQUIRE(finish_erasure(*repository));

    CHECK(plan_phrase_erasure(*repository, kPassNumber).value().is_empty());
    CHECK(graph::read_turn(repository->reader(), other).value().text == "my pass is C01X-00T48.");
    for (const auto& entry : fs::recursive_directory_iterator(folder.path)) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = bytes_of(entry.path());
      CHECK(bytes.find("00T47") == std::string::npos);
    }
    CHECK(store::fsck(repository->store()).value().is_sound());
  }

  TEST_CASE("where a phrase cannot be erased is named, and it goes from everywhere else") {
    auto repository = Repository::in_memory();
    Turn signed_by{.type = Type::user, .text = "hello"};
    signed_by.author = "Ada C01X00T47";
    const Oid author = append(*repository, signed_by);
    const Oid text = append(*repository, {.type = Type::user, .text = "it is C01X00T47"});
    append(*repository, {.type = Type::user, .text = "on a branch"}, "refs/heads/C01X00T47");
    const auto plan = plan_phrase_erasure(*repository, "C01X00T47").value();
    const auto stays = [&](std::string_view where) {
      return std::any_of(plan.obstacles.begin(), plan.obstacles.end(), [&](const Obstacle& each) {
        return each.where.find(where) != std::string::npos;
      });
    };
    CHECK(stays("commit " + author.hex(12)));
    CHECK(stays("the name of refs/heads/C01X00T47"));
    CHECK(stays("operation "));
    CHECK(is_listed(plan, text));
    REQUIRE(erase(*repository, plan, "a number", kSigningKey));
    const auto after = plan_phrase_erasure(*repository, "C01X00T47").value();
    CHECK(after.is_empty());
    CHECK(after.obstacles.size() >= 3);
  }

  TEST_CASE("a phrase of a few letters is refused, and so is a reason that says it") {
    auto repository = Repository::in_memory();
    append(*repository, {.type = Type::user, .text = "it is C01X"});
    CHECK(plan_phrase_erasure(*repository, " abc\n").error().code == Code::invalid);
    const auto plan = plan_phrase_erasure(*repository, "C01X").value();
    CHECK(erase(*repository, plan, "about C01X", kSigningKey).error().code == Code::invalid);
  }

  TEST_CASE("a commit's number that another commit tells in other words is pointed out") {
    auto repository = Repository::in_memory();
    const Oid named =
        append(*repository, {.type = Type::user, .text = "my passport is C01X00T47, ok?"});
    const Oid other = append(*repository, {.type = Type::assistant, .text = "I note C01X00T47."});
    Turn call{.type = Type::assistant, .text = "I file it."};
    call.fields.tool_calls = {{"c1", "file", R"({"pass":"C01X00T47"})"}};
    const Oid filed = append(*repository, call);
    const Oid apart = append(*repository, {.type = Type::user, .text = "thank you, ok?"});
    const auto plan = plan_erasure(*repository, std::array{named}).value();
    const std::vector<Oid>& told = plan.told_elsewhere;
    CHECK(told.size() == 2);
    CHECK(std::count(told.begin(), told.end(), other) == 1);
    CHECK(std::count(told.begin(), told.end(), filed) == 1);
    CHECK(std::count(told.begin(), told.end(), apart) == 0);
  }

  TEST_CASE("a commit's short text is pointed out where a longer one has it") {
    auto repository = Repository::in_memory();
    const Oid named = append(*repository, {.type = Type::user, .text = "blue door"});
    const Oid other =
        append(*repository, {.type = Type::user, .text = "behind the blue door, then"});
    const auto plan = plan_erasure(*repository, std::array{named}).value();
    CHECK(plan.told_elsewhere == std::vector<Oid>{other});
  }

  TEST_CASE("words that tell are keys, addresses and numbers, and no dates") {
    const auto words =
        identifying_words("ann@somewhere.com has C01X00T47 since 2026-01-02, room 12, build v1.2")
            .value();
    CHECK(words == std::vector<std::string>{"ann@somewhere.com", "C01X00T47"});
  }
}

}  // namespace spoor::guard
