#include <doctest/doctest.h>

#include <array>

#include "store/memory_store.h"
#include "store/operation.h"
#include "store/revision.h"
#include "store/tag.h"

using namespace spoor;
using namespace spoor::store;
using Code = Error::Code;

namespace {

// Five turns in a line, a merge of the third into the fifth, `main` at the merge.
struct MergedHistory {
  MemoryStore store;
  Reader reader{store};
  std::vector<Oid> line;
  Oid merge;

  MergedHistory() {
    const NewObject text = encode_content("", Salter()).back();
    store.put(std::array{text}).value();
    for (std::uint64_t i = 0; i < 5; ++i) {
      Commit commit{.op = Op::append, .type = Type::user, .depth = i, .gen = i};
      commit.content = Content{text.oid, "text/plain"};
      if (i > 0) commit.parents = {line.back()};
      if (i > 1) commit.skip = line[skip_height(i)];
      line.push_back(put(new_object(Kind::commit, serialize(commit).value())));
    }
    merge = put(new_object(Kind::commit, serialize(Commit{.op = Op::merge,
                                                          .mode = Mode::append,
                                                          .parents = {line[4], line[2]},
                                                          .depth = 5,
                                                          .gen = 5,
                                                          .skip = line[skip_height(5)]})
                                             .value()));
    point("refs/heads/main", merge, 10);
  }

  Oid put(const NewObject& object) {
    store.put(std::array{object}).value();
    return object.oid;
  }

  Oid put_tag(const Oid& target) {
    const Tag tag{.target = target, .name = "v1", .author = "ann", .time = {}, .note = {}};
    return put(new_object(Kind::tag, serialize(tag).value()));
  }

  void point(const std::string& ref, const std::optional<Oid>& to, std::int64_t seconds) {
    Transaction transaction;
    transaction.refs = {{ref, store.ref(ref).value(), to}};
    transaction.actor = "ann";
    transaction.command = "test";
    transaction.time = Timestamp{seconds * 1'000'000};
    store.commit(transaction).value();
  }

  Result<Oid> resolve(std::string_view text) const {
    return spoor::store::resolve(reader, text, {line[1]});
  }
};

}  // namespace

TEST_SUITE("store/revision") {
  TEST_CASE("a revision is a name and steps from it") {
    const MergedHistory h;
    const std::string hex = h.line[3].hex();
    const std::vector<std::pair<std::string, Oid>> table = {
        {"HEAD", h.line[1]},
        {"@", h.line[1]},
        {"@~", h.line[0]},
        {"main", h.merge},
        {"refs/heads/main", h.merge},
        {"main~", h.line[4]},
        {"main~3", h.line[2]},
        {"main~0", h.merge},
        {"main^", h.line[4]},
        {"main^2", h.line[2]},
        {"main^2~^", h.line[0]},
        {"main^0", h.merge},
        {"main~5", h.line[0]},
        {hex, h.line[3]},
        {hex.substr(0, 12), h.line[3]},
        {hex.substr(0, 12) + "~2", h.line[1]},
        {"main@{1970-01-01T00:00:11Z}", h.merge},
    };
    for (const auto& [text, expected] : table) {
      const auto& shown = text;
      CAPTURE(shown);
      CHECK(h.resolve(text).value() == expected);
    }
  }

  TEST_CASE("what names no commit is refused, with a hint") {
    const MergedHistory h;
    const std::vector<std::pair<std::string, Code>> table = {
        {"nosuch", Code::not_found},
        {"abc", Code::not_found},
        {std::string(64, '0'), Code::not_found},
        {"main~6", Code::not_found},
        {"main^3", Code::not_found},
        {"main@{1970-01-01T00:00:09Z}", Code::not_found},
        {"", Code::invalid},
        {"~1", Code::invalid},
        {"main@{", Code::invalid},
        {"main~x", Code::invalid},
        {"main~99999999999999999999", Code::invalid},
        {h.reader.commit(h.merge).value()->parents[0].hex() + "x", Code::not_found},
    };
    for (const auto& [text, expected] : table) {
      const auto& shown = text;
      CAPTURE(shown);
      const auto found = h.resolve(text);
      REQUIRE_FALSE(found.has_value());
      CHECK(found.error().code == expected);
      CHECK(!found.error().hint.empty());
    }
  }

  TEST_CASE("a ref is found some moves ago, and at times as people write them") {
    MergedHistory h;  // main moved at second 10.
    h.point("refs/heads/main", h.line[4], 7'200);
    h.point("refs/heads/main", h.line[3], 7'300);
    h.point("refs/heads/gone", h.line[2], 7'400);
    h.point("refs/heads/gone", std::nullopt, 7'500);
    RevisionContext context{.head = h.line[3], .head_ref = "refs/heads/main"};
    context.now = Timestamp{10'000'000'000};
    const std::vector<std::pair<std::string, Oid>> table = {
        {"main@{0}", h.line[3]},
        {"main@{1}", h.line[4]},
        {"main@{2}", h.merge},
        {"main@{2}~1", h.line[4]},
        {"@{1}", h.line[4]},
        {"HEAD@{2}", h.merge},
        {"gone@{1}", h.line[2]},
        {"main@{now}", h.line[3]},
        {"main@{2 hours ago}", h.merge},
        {"main@{1970-01-01T02:00}", h.line[4]},
        {"main@{1970-01-01T01:59:59}", h.merge},
        {"main@{1970-01-01 02:00}", h.line[4]},
        {"tag:nosuch^{}", Oid()},
    };
    for (const auto& [text, expected] : table) {
      const auto& shown = text;
      CAPTURE(shown);
      const auto found = spoor::store::resolve(h.reader, text, context);
      if (expected == Oid()) {
        CHECK(found.error().code == Code::invalid);
      } else {
        CHECK(found.value() == expected);
      }
    }
    const std::vector<std::pair<std::string, Code>> refused = {
        {"main@{3}", Code::not_found},    {"gone@{0}", Code::not_found},
        {"nosuch@{1}", Code::not_found},  {"main@{yesterday}", Code::not_found},
        {"main@{soon}", Code::invalid},   {"main@{99999999999999999999}", Code::invalid},
        {"main^{answer}", Code::invalid}, {":/text", Code::invalid},
        {"type:user", Code::invalid},     {":/", Code::invalid},
        {"main^{", Code::invalid},
    };
    for (const auto& [text, expected] : refused) {
      const auto& shown = text;
      CAPTURE(shown);
      const Error error = spoor::store::resolve(h.reader, text, context).error();
      CHECK(error.code == expected);
      CHECK(!error.hint.empty());
    }
    CHECK(h.resolve("@{1}").error().code == Code::invalid);                // On no branch.
    CHECK(h.resolve("main@{2 hours ago}").error().code == Code::invalid);  // No present.
  }

  TEST_CASE("a tag is named even where a branch has its name") {
    MergedHistory h;
    h.point("refs/tags/both", h.line[0], 20);
    h.point("refs/heads/both", h.line[1], 21);
    CHECK(h.resolve("tag:both").value() == h.line[0]);
    CHECK(h.resolve("tag:both^{commit}").value() == h.line[0]);
  }

  TEST_CASE("A...B is where both parted, and a range is no commit") {
    MergedHistory h;
    h.point("refs/heads/side", h.line[2], 20);
    CHECK(h.resolve("main~1...side").value() == h.line[2]);
    CHECK(h.resolve("main...side").value() == h.line[2]);
    CHECK(h.resolve("...main").value() == h.line[1]);
    CHECK(h.resolve("main..side").error().code == Code::invalid);
    const auto range = split_range("a@{1..2}...b^{/x..y}");
    REQUIRE(range);
    CHECK(range->from == "a@{1..2}");
    CHECK(range->to == "b^{/x..y}");
    CHECK(range->is_symmetric);
    CHECK_FALSE(split_range(":/a..b"));
    CHECK_FALSE(split_range("a@{1..2}"));
  }

  TEST_CASE("a mistyped full id is not called damage") {
    const MergedHistory h;
    const Error error = h.resolve(std::string(64, '7')).error();
    CHECK(error.hint.find("fsck") == std::string::npos);
    CHECK(error.hint.find("spoor log") != std::string::npos);
  }

  TEST_CASE("an object that is no commit is no revision") {
    const MergedHistory h;
    const Oid text = h.reader.commit(h.merge).value()->parents[0];
    const Oid blob = h.reader.commit(text).value()->content->oid;
    CHECK(h.resolve(blob.hex()).error().code == Code::invalid);
  }

  TEST_CASE("a tag object stands for the commit it names, however it is named") {
    MergedHistory h;
    const Oid tag = h.put_tag(h.line[3]);
    h.point("refs/tags/v1", tag, 20);
    for (const std::string& text :
         {std::string("v1"), std::string("refs/tags/v1"), tag.hex(), tag.hex().substr(0, 16),
          std::string("v1~0"), std::string("v1@{1970-01-01T00:00:30Z}")}) {
      CAPTURE(text);
      CHECK(h.resolve(text).value() == h.line[3]);
    }
    CHECK(h.resolve("v1~").value() == h.line[2]);
  }

  TEST_CASE("a branch comes before a tag, and both before a prefix") {
    MergedHistory h;
    h.point("refs/tags/both", h.line[0], 20);
    h.point("refs/heads/both", h.line[1], 21);
    CHECK(h.resolve("both").value() == h.line[1]);
    const std::string digits = h.line[3].hex().substr(0, 8);
    h.point("refs/tags/" + digits, h.line[0], 22);
    CHECK(h.resolve(digits).value() == h.line[0]);
  }

  TEST_CASE("a deleted branch is found where it still was") {
    MergedHistory h;
    h.point("refs/heads/gone", h.line[2], 20);
    h.point("refs/heads/gone", std::nullopt, 30);
    CHECK(h.resolve("gone").error().code == Code::not_found);
    CHECK(h.resolve("gone@{1970-01-01T00:00:25Z}").value() == h.line[2]);
    CHECK(h.resolve("gone@{1970-01-01T00:00:30Z}").error().code == Code::not_found);
  }

  TEST_CASE("a prefix of several commits lists them") {
    MergedHistory h;
    const NewObject text = encode_content("", Salter()).back();
    for (int i = 0; i < 2'000; ++i) {  // A pair that shares four digits is all but certain.
      Commit commit{.op = Op::append, .type = Type::user};
      commit.content = Content{text.oid, "text/plain"};
      commit.author = std::to_string(i);
      h.put(new_object(Kind::commit, serialize(commit).value()));
    }
    std::vector<Oid> all = h.store.find("", Kind::commit, 10'000).value();
    bool is_found = false;
    for (std::size_t i = 1; i < all.size() && !is_found; ++i) {
      const std::string prefix = all[i].hex().substr(0, 4);
      if (all[i - 1].hex().substr(0, 4) != prefix) continue;
      is_found = true;
      const auto found = h.resolve(prefix);
      REQUIRE_FALSE(found.has_value());
      CHECK(found.error().code == Code::ambiguous);
      CHECK(found.error().hint.find(all[i].hex(12)) != std::string::npos);
      const std::string shortest = abbreviate(h.store, all[i], 4).value();
      CHECK(shortest.size() > 4);
      CHECK(h.resolve(shortest).value() == all[i]);
    }
    CHECK(is_found);
  }

  TEST_CASE("names that look like others are no names of refs") {
    const std::vector<std::string> refused = {
        "",        "a b",     "a\u00a0b", "a\u200bb", "a\u202eb", "a\u2066b", "a\ufeffb",
        "a\u00ad", "a\u3164", "a\u2028b", "a\u3000b", "a\u200d",  "a\u061cb", "a\U000e0041",
        "a\u0085", "a\x01",   "a\xff",    "a..b",     "a~1",      "HEAD",     "-a"};
    for (const std::string& name : refused) {
      CAPTURE(name);
      CHECK(!ref_name_problem(name).empty());
    }
    for (const std::string name : {"a", "über/straße", "日本", "feature/x-1", "a@b"}) {
      CAPTURE(name);
      CHECK(ref_name_problem(name).empty());
    }
  }

  TEST_CASE("for a session, and for a time of day, the turns' own times count") {
    MemoryStore store;
    const Reader reader(store);
    const auto time = [](std::string_view text) { return parse_rfc3339(text).value(); };
    // An evening's session that goes on after midnight, imported days later.
    const std::vector<std::string> times = {"2026-11-20T23:10:00Z", "2026-11-20T23:40:00Z",
                                            "2026-11-21T00:05:00Z", "2026-11-21T00:20:00Z"};
    std::vector<Oid> line;
    const NewObject text = encode_content("", Salter()).back();
    REQUIRE(store.put(std::array{text}));
    for (std::size_t i = 0; i < times.size(); ++i) {
      Commit commit{.op = Op::append, .type = Type::user, .depth = i, .gen = i};
      commit.content = Content{text.oid, "text/plain"};
      commit.time = time(times[i]);
      if (i > 0) commit.parents = {line.back()};
      if (i > 1) commit.skip = line[skip_height(i)];
      const NewObject object = new_object(Kind::commit, serialize(commit).value());
      REQUIRE(store.put(std::array{object}));
      line.push_back(object.oid);
    }
    Transaction move;
    move.refs = {{"refs/heads/talk", {}, line.back()}};
    move.actor = "ann";
    move.command = "import";
    move.time = time("2026-11-25T12:00:00Z");
    REQUIRE(store.commit(move));

    RevisionContext context;
    context.now = time("2026-11-26T12:00:00Z");
    const auto found = [&](std::string_view revision) {
      return resolve(reader, revision, context);
    };
    CHECK(found("talk@{2026-11-20T23:39}").error().code == Code::not_found);
    context.is_session = true;
    CHECK(found("talk@{2026-11-20T23:39}").value() == line[0]);
    CHECK(found("talk@{2026-11-20T23:40}").value() == line[1]);
    CHECK(found("talk@{2026-11-22}").value() == line[3]);
    CHECK(found("talk@{now}").value() == line[3]);
    CHECK(found("talk@{5 days ago}").value() == line[3]);
    CHECK(found("talk@{6 days ago}").error().code == Code::not_found);
    context.is_session = false;
    CHECK(found("talk@{23:30}").value() == line[0]);
    CHECK(found("talk@{23:59:59}").value() == line[1]);
    CHECK(found("talk@{00:05}").value() == line[2]);
    CHECK(found("talk@{00:05}~1").value() == line[1]);
    CHECK(found("talk@{00:19:59}").value() == line[2]);
    CHECK(found("talk@{00:20}").value() == line[3]);
    CHECK(found("talk@{00:21}").value() == line[3]);
    CHECK(found("talk@{12:00}").value() == line[3]);
    CHECK(found("nosuch@{12:00}").error().message == found("nosuch").error().message);
    for (const char* bad : {"talk@{24:00}", "talk@{1:00}", "talk@{11:40:}", "talk@{11-40}"}) {
      CAPTURE(bad);
      CHECK(found(bad).error().code == Code::invalid);
    }
  }
}
