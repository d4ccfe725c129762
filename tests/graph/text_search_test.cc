#include "graph/text_search.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "graph/merge.h"
#include "graph/search.h"
#include "store/ancestry.h"
#include "store/operation.h"
#include "store/sqlite/side_file.h"
#include "store/sqlite/text_index.h"
#include "tests/support/soak.h"

using namespace spoor;
using graph::parse_text_query;
using store::Oid;
using store::TextIndex;
using Code = spoor::Error::Code;
namespace fs = std::filesystem;

namespace {

struct StoreFolder {
  std::string path;
  StoreFolder() {
    std::string name = (fs::temp_directory_path() / "spoor-search-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~StoreFolder() { fs::remove_all(path); }
};

std::string bytes_of(const std::string& path) {
  std::string all;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
    all.append(buffer, count);
  }
  std::fclose(file);
  return all;
}

using Set = std::unordered_set<Oid>;

// All that a ref was ever moved to.
graph::HistoryTips everything(const graph::Repository& repository) {
  graph::HistoryTips all;
  for (const auto& logged : repository.store().operations(0, 100'000).value()) {
    for (const auto& move : store::parse_operation(logged.body).value().refs) {
      if (move.after) all.tips.push_back(*move.after);
    }
  }
  return all;
}

Result<Set> try_match(const graph::Repository& repository, TextIndex& index,
                      const std::string& query) {
  const auto found = TRY(graph::match_commits(repository, index, parse_text_query(query).value(),
                                              everything(repository)));
  return Set(found.begin(), found.end());
}

Set match(const graph::Repository& repository, TextIndex& index, const std::string& query) {
  return try_match(repository, index, query).value();
}

// The words of a text as the index has them, as far as ASCII goes.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_phrase(const std::vector<std::string>& words, const std::vector<std::string>& phrase) {
  return std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end();
}

bool has_prefix(const std::vector<std::string>& words, const std::string& start) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.starts_with(start); });
}

const std::vector<std::string> kVocabulary = {"cent", "Cents", "tax",   "TAX",  "remainder",
                                              "rema", "order", "x-ray", "4.35", "it"};

// The words of all that a commit says, its texts parted by what is no word.
std::vector<std::string> words_said(const store::Reader& reader, const compile::Commit& commit) {
  std::vector<std::string> words = words_of(*compile::text_of(reader, commit).value());
  const auto fields = compile::fields_of(reader, commit).value();
  if (!fields.tool_calls) return words;
  for (const compile::ToolCall& call : *fields.tool_calls) {
    for (const std::string& text : {call.name, call.arguments}) {
      words.emplace_back("|");
      for (std::string& word : words_of(text)) words.push_back(std::move(word));
    }
  }
  return words;
}

std::string random_text(std::mt19937& random) {
  std::string text;
  for (std::size_t words = random() % 6; words > 0; --words) {
    text += kVocabulary[random() % kVocabulary.size()];
    text += " \n,."[random() % 4];
  }
  return text;
}

}  // namespace

TEST_SUITE("graph/text_search") {
  TEST_CASE("a query becomes an expression in which every word is quoted") {
    const std::vector<std::pair<std::string, std::string>> table = {
        {"cent", "\"cent\""},
        {"cent tax", "\"cent\" AND \"tax\""},
        {"\"two words\"", "\"two words\""},
        {"perc*", "\"perc\"*"},
        {"a OR b AND c", "\"a\" OR \"b\" AND \"c\""},
        {"a NOT b", "(\"a\" NOT \"b\")"},
        {"(a OR b) c", "(\"a\" OR \"b\") AND \"c\""},
        {"foo-bar NEAR", "\"foo-bar\" AND \"NEAR\""},
        {"text:x", "\"text:x\""},
        {"and", "\"and\""},
    };
    for (const auto& [text, expected] : table) {
      const auto& shown = text;
      CAPTURE(shown);
      CHECK(parse_text_query(text).value().expression == expected);
    }
    for (const char* text : {"", "  ", "\"open", "(a", "a)", "AND", "a AND", "a OR OR b", "NOT a",
                             "*", "--", "\"\"", "()"}) {
      CAPTURE(text);
      const auto query = parse_text_query(text);
      REQUIRE_FALSE(query);
      CHECK(query.error().code == Code::invalid);
      CHECK(!query.error().hint.empty());
    }
    using Word = graph::TextQuery::Word;
    CHECK(parse_text_query("Foo-bar* NOT baz").value().words ==
          std::vector<Word>{{"foo", false}, {"bar", true}});
    CHECK_FALSE(parse_text_query(std::string(1000, '(')));
  }

  TEST_CASE("words, phrases, prefixes and operators find what a scan of the texts finds") {
    std::mt19937 random(20261121);
    const auto index = TextIndex::in_memory().value();
    auto repository = graph::Repository::in_memory();
    graph::Branch main = repository->branch("main");
    std::size_t found = 0;
    for (int round = 0; round < 30; ++round) {
      std::vector<Oid> turns;
      for (int i = 0; i < 5; ++i) turns.push_back(main.user(random_text(random)).value());
      main.edit(turns[random() % turns.size()], random_text(random)).value();
      const compile::ToolCall call{"c1", random_text(random), random_text(random)};
      const Oid answer = main.assistant(random_text(random), {call}).value();
      graph::Edit edit;
      edit.tool_calls = {{"c1", random_text(random), random_text(random)}};
      main.edit(answer, edit).value();
      main.annotate(turns[0], store::Priority::skip, "reason with tax").value();

      const std::string one = kVocabulary[random() % 6];
      const std::string other = kVocabulary[random() % 6];
      using Words = std::vector<std::string>;
      const std::vector<std::pair<std::string, std::function<bool(const Words&)>>> queries = {
          {one, [&](const Words& w) { return has(w, words_of(one)[0]); }},
          {"\"" + one + " " + other + "\"",
           [&](const Words& w) { return has_phrase(w, words_of(one + " " + other)); }},
          {"x-ray",
           [&](const Words& w) {
             return has_phrase(w, {"x", "ray"});
           }},
          {"rema* OR 4.35",
           [&](const Words& w) {
             return has_prefix(w, "rema") || has_phrase(w, {"4", "35"});
           }},
          {one + " NOT (" + other + " it)",
           [&](const Words& w) {
             return has(w, words_of(one)[0]) && !(has(w, words_of(other)[0]) && has(w, "it"));
           }},
      };
      for (const auto& [query, fits] : queries) {
        const auto& shown = query;
        CAPTURE(shown);
        Set expected;
        REQUIRE(store::walk_history(repository->reader(), {main.tip().value().value()},
                                    [&, &fits = fits](const store::NamedCommit& named) {
                                      if (!graph::is_searched(*named.commit)) return true;
                                      if (fits(words_said(repository->reader(), *named.commit))) {
                                        expected.insert(named.oid);
                                      }
                                      return true;
                                    }));
        CHECK(match(*repository, *index, query) == expected);
        found += expected.size();
      }
    }
    CHECK(found > 100);
  }

  TEST_CASE("an index in a file follows what is stored, and another process's work") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    const auto open = [&] { return TextIndex::open(index_path, 0600).value(); };
    const Oid first = repository->branch("main").user("one fish").value();
    CHECK(match(*repository, *open(), "fish") == Set{first});
    const auto permissions = fs::status(index_path).permissions();
    CHECK((permissions & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);

    auto other = graph::Repository::open(path).value();
    const Oid second = other->branch("side").user("two fish").value();
    CHECK(match(*repository, *open(), "fish").size() == 2);
    CHECK(match(*repository, *open(), "two") == Set{second});

    SUBCASE("a deleted index is made anew") {
      fs::remove(index_path);
      CHECK(match(*repository, *open(), "fish").size() == 2);
    }
    SUBCASE("a file that is no index, too") {
      fs::resize_file(index_path, 0);
      std::FILE* file = std::fopen(index_path.c_str(), "wb");
      REQUIRE(file != nullptr);
      const std::string noise(5000, 'x');
      std::fwrite(noise.data(), 1, noise.size(), file);
      std::fclose(file);
      CHECK(match(*repository, *open(), "fish").size() == 2);
    }
    SUBCASE("an index of another store is not believed") {
      auto stranger = graph::Repository::create(folder.path + "/stranger").value();
      stranger->branch("main").user("no such animal").value();
      CHECK(match(*stranger, *open(), "fish").empty());
      CHECK(match(*stranger, *open(), "animal").size() == 1);
      CHECK(match(*repository, *open(), "fish").size() == 2);
    }
    SUBCASE("one of an earlier version is made anew, and has calls then") {
      REQUIRE(other->branch("side").assistant("", {{"c1", "Bash", R"({"x":"ls"})"}}));
      CHECK(match(*repository, *open(), "ls").size() == 1);
      fs::remove(index_path);
      {
        const auto old = store::sqlite::SideFile::open(
            index_path, 0600, store::sqlite::SideFile::Sync::full, "an old index", "");
        REQUIRE(old);
        REQUIRE(old.value()->execute(
            "PRAGMA user_version=1;"
            "CREATE TABLE progress(mark TEXT NOT NULL); INSERT INTO progress VALUES('1 x 0');"
            "CREATE TABLE commits(oid BLOB PRIMARY KEY) WITHOUT ROWID;"
            "CREATE TABLE contents(id INTEGER PRIMARY KEY, oid BLOB NOT NULL UNIQUE);"
            "CREATE VIRTUAL TABLE words USING fts5(text, content='',"
            " tokenize='unicode61 remove_diacritics 0');"));
      }
      CHECK(open()->mark().value().empty());
      CHECK(match(*repository, *open(), "fish").size() == 2);
      CHECK(match(*repository, *open(), "ls").size() == 1);
    }
    SUBCASE("rebuild empties it") {
      REQUIRE(repository->store().rebuild());
      CHECK(open()->mark().value().empty());
      CHECK(match(*repository, *open(), "fish").size() == 2);
    }
  }

  TEST_CASE("an index that shows damage is made anew before anybody sees an error") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    graph::Branch main = repository->branch("main");
    std::mt19937 random(20261123);
    std::vector<std::string> versions;
    for (int version = 0; version < 6; ++version) {
      for (int i = 0; i < 30; ++i) {
        std::string text;
        for (int word = 0; word < 60; ++word) text += "word" + std::to_string(random() % 400) + ' ';
        main.user(text).value();
      }
      match(*repository, *TextIndex::open(index_path, 0600).value(), "word1");
      versions.push_back(bytes_of(index_path));
    }
    const std::vector<std::string> queries = {"word1", "word7 word9", "\"word3 word4\"", "word39*"};
    std::vector<Set> expected;
    for (const std::string& query : queries) {
      expected.push_back(match(*repository, *TextIndex::in_memory().value(), query));
    }
    const auto write = [&](const std::string& bytes) {
      std::FILE* file = std::fopen(index_path.c_str(), "wb");
      REQUIRE(file != nullptr);
      std::fwrite(bytes.data(), 1, bytes.size(), file);
      std::fclose(file);
    };
    constexpr std::size_t kPage = 4096;
    std::size_t unseen = 0;
    for (int mix = 0; mix < 60; ++mix) {
      CAPTURE(mix);
      std::string bytes = versions.back();
      const std::size_t rarity = 1 + random() % 12;
      for (std::size_t at = 0; at < bytes.size(); at += kPage) {
        const std::string& older = versions[random() % versions.size()];
        if (random() % rarity == 0 && at < older.size()) {
          bytes.replace(at, kPage, older, at, kPage);
        }
      }
      write(bytes);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const auto index = TextIndex::open(index_path, 0600).value();
        const auto found = try_match(*repository, *index, queries[i]);
        REQUIRE_MESSAGE(found, (found ? "" : found.error().message));
        if (*found == expected[i]) continue;
        ++unseen;  // Nothing in an older page is wrong in itself.
        REQUIRE(index->empty());
        CHECK(match(*repository, *index, queries[i]) == expected[i]);
      }
    }
    MESSAGE(unseen << " answers of 240 were of damage that does not show");
    CHECK(unseen < 120);

    SUBCASE("tables that are not those of an index, too") {
      write(versions.back());
      const std::vector<const char*> tamperings = {
          "DELETE FROM words_data WHERE id=1",  "DELETE FROM words_config",
          "UPDATE words_config SET v=99",       "DROP TABLE words_data",
          "DELETE FROM words_data WHERE id>10", "DELETE FROM texts"};
      for (const char* sql : tamperings) {
        CAPTURE(sql);
        {
          sqlite3* file = nullptr;
          REQUIRE(sqlite3_open(index_path.c_str(), &file) == SQLITE_OK);
          CHECK(sqlite3_exec(file, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
          sqlite3_close(file);
        }
        main.user("one more").value();
        expected.back() = match(*repository, *TextIndex::in_memory().value(), queries.back());
        const auto index = TextIndex::open(index_path, 0600).value();
        CHECK(match(*repository, *index, queries.back()) == expected.back());
        CHECK(match(*repository, *index, "more").size() > 0);
      }
    }
  }

  TEST_CASE("what was erased is in the index no longer, in none of its bytes") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    const Oid turn = repository->branch("main").user("the word is xylophone").value();
    repository->branch("main").user("nothing else").value();
    const Oid content = repository->reader().commit(turn).value()->content->oid;
    const auto bytes = [&] { return bytes_of(index_path); };
    CHECK(match(*repository, *TextIndex::open(index_path, 0600).value(), "xylophone").size() == 1);
    CHECK(bytes().find("xylophone") != std::string::npos);

    auto reader = graph::Repository::open(path).value();  // Another process, as it were.
    REQUIRE(reader->reader().content(content));           // It has the text at hand.
    REQUIRE(repository->store().erase(std::vector<Oid>{content}).value() == 1);
    CHECK(bytes().find("xylophone") == std::string::npos);
    const auto index = TextIndex::open(index_path, 0600).value();
    CHECK(match(*reader, *index, "xylophone").empty());
    CHECK(match(*reader, *index, "nothing").size() == 1);
    CHECK(bytes().find("xylophone") == std::string::npos);
  }

  TEST_CASE("what gc took is found no longer, and nothing of it is left in the index") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    auto main = repository->branch("main");
    const Oid kept = main.user("the word is marimba").value();
    REQUIRE(main.assistant("the word is here", {{"c1", "xylophone", R"({"a":"glockenspiel"})"}}));
    CHECK(match(*repository, *TextIndex::open(index_path, 0600).value(), "word").size() == 2);

    auto other = graph::Repository::open(path).value();  // Another process, as it were.
    CHECK(match(*other, *TextIndex::open(index_path, 0600).value(), "xylophone").size() == 1);
    REQUIRE(repository->transact("reset", graph::OnConflict::fail, [&](graph::Draft& draft) {
      return draft.move(main.ref(), kept);
    }));
    store::GcOptions options;
    options.actor = "tester";
    options.keep_since = {spoor::kLastMicro};
    CHECK(repository->gc(options).value().commits.size() == 1);

    CHECK(bytes_of(index_path).find("xylophone") == std::string::npos);
    for (const auto* each : {&repository, &other}) {
      const auto index = TextIndex::open(index_path, 0600).value();
      CHECK(match(**each, *index, "xylophone OR glockenspiel").empty());
      CHECK(match(**each, *index, "word").size() == 1);
    }
    CHECK(bytes_of(index_path).find("xylophone") == std::string::npos);
    CHECK(bytes_of(index_path).find("marimba") != std::string::npos);
  }

  TEST_CASE("a commit that is missing is not taken for indexed, and is found when it is back") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    graph::Branch main = repository->branch("main");
    main.user("one fish").value();
    const Oid second = main.user("two fish").value();
    main.user("three fish").value();
    const std::vector<Oid> gone = {second};
    const store::Object kept = *repository->store().get(gone).value()[0];
    REQUIRE(repository->store().erase(gone).value() == 1);
    repository->drop_caches();

    const auto open = [&] { return TextIndex::open(store::text_index_path(path), 0600).value(); };
    const auto found = try_match(*repository, *open(), "fish");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Code::not_found);
    CHECK(open()->mark().value().empty());

    const std::vector<store::NewObject> back = {store::new_object(kept.kind, kept.body)};
    REQUIRE(repository->store().put(back));
    CHECK(match(*repository, *open(), "fish").size() == 3);
  }

  TEST_CASE("a query finds in any history what a walk over its parents finds, newest first") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(12U); ++seed) {
      CAPTURE(seed);
      std::mt19937 random(spoor::testing::seeded(seed));
      const auto repository = graph::Repository::in_memory();
      const auto index = TextIndex::in_memory().value();
      std::vector<Oid> commits;
      std::vector<std::string> branches;
      std::unordered_map<Oid, std::int64_t> fish;  // The commits that match, with their times.
      const auto any = [&] { return commits[random() % commits.size()]; };
      for (std::int64_t step = 1; step <= 150; ++step) {
        if (branches.empty() || random() % 12 == 0) {
          branches.push_back("b" + std::to_string(branches.size()));
          if (!commits.empty() && random() % 4 != 0) {
            REQUIRE(repository->create_branch(branches.back(), any()));
          }
        }
        const std::string ref = "refs/heads/" + branches[random() % branches.size()];
        const bool is_fish = random() % 3 == 0;
        const bool merges = commits.size() > 1 && random() % 6 == 0;
        const Oid other = commits.empty() ? Oid{} : any();
        std::optional<Oid> made;
        const auto written = repository->transact(
            "test", graph::OnConflict::fail, [&](graph::Draft& draft) -> Result<void> {
              compile::Turn turn{.type = store::Type::user, .text = is_fish ? "fish" : "bird"};
              turn.text += " " + std::to_string(step);
              turn.time = Timestamp{step};
              const auto tip = TRY(draft.tip(ref));
              if (merges && tip && !TRY(store::is_ancestor(repository->reader(), other, *tip)) &&
                  !TRY(store::is_ancestor(repository->reader(), *tip, other))) {
                made = TRY(graph::merge(draft, repository->reader(), repository->folder(), ref,
                                        other, {.mode = store::Mode::append}))
                           .tip;
              } else {
                made = TRY(draft.append(ref, turn));
                if (is_fish) fish[*made] = step;
              }
              return {};
            });
        REQUIRE_MESSAGE(written, (written ? "" : written.error().message));
        commits.push_back(*made);
        if (random() % 4 != 0) continue;  // The index learns of several commits at once.

        graph::HistoryTips history{{any()}, {}};
        while (random() % 2 == 0) history.tips.push_back(any());
        while (random() % 3 == 0) history.without.push_back(any());
        const auto reached = [&](const std::vector<Oid>& tips) {
          Set all;
          if (tips.empty()) return all;
          store::walk_history(repository->reader(), tips, [&](const store::NamedCommit& named) {
            return all.insert(named.oid), true;
          }).value();
          return all;
        };
        const Set with = reached(history.tips);
        const Set without = reached(history.without);
        std::vector<std::pair<std::int64_t, Oid>> expected;
        for (const auto& [commit, time] : fish) {
          if (with.contains(commit) && !without.contains(commit)) {
            expected.emplace_back(time, commit);
          }
        }
        std::sort(expected.rbegin(), expected.rend());
        const auto found =
            graph::match_commits(*repository, *index, parse_text_query("fish").value(), history);
        REQUIRE_MESSAGE(found, (found ? "" : found.error().message));
        REQUIRE(found->size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK((*found)[i] == expected[i].second);
      }
    }
  }

  TEST_CASE("what gc takes while the index is fed fails no query") {
    std::size_t taken_within = 0;
    for (int moment = 1; moment <= 8; ++moment) {
      CAPTURE(moment);
      const StoreFolder folder;
      const std::string path = folder.path + "/store";
      graph::Repository::create(path).value()->branch("side").user("a fish").value();
      const auto other = graph::Repository::open(path).value();
      graph::Branch main = other->branch("main");
      std::vector<Oid> line;
      for (const char* text : {"one fish", "two fish", "three fish"}) {
        line.push_back(main.user(text).value());
      }
      REQUIRE(other->transact("drop", graph::OnConflict::fail, [&](graph::Draft& draft) {
        return draft.move(main.ref(), std::nullopt);
      }));

      int asked = 0;
      graph::Repository::Options options;
      options.is_cancelled = [&] {
        if (++asked == moment) CHECK(other->store().erase(line).value() == 3);
        return false;
      };
      const auto repository = graph::Repository::open(path, std::move(options)).value();
      const auto index = TextIndex::in_memory().value();
      asked = 0;
      const std::size_t found = match(*repository, *index, "fish").size();
      CHECK((found == 1 || found == 4));
      taken_within += found == 1 ? 1 : 0;
      CHECK(match(*repository, *index, "fish").size() == (asked < moment ? 4 : 1));
    }
    CHECK(taken_within >= 2);
  }

  TEST_CASE("a query looks into calls, and takes a turn's text and calls as one") {
    auto repository = graph::Repository::in_memory();
    auto index = TextIndex::in_memory().value();
    graph::Branch main = repository->branch("main");
    const std::string arguments =
        R"({"command":"mise run\ntest \"caf\u00e9\"","port":8080,"edits":[{"to":"x"}]})";
    const Oid turn = main.assistant("", {{"c1", "Bash", arguments}}).value();
    const Oid said = main.assistant("I look", {{"c2", "Read", R"({"path":"a.py"})"}}).value();
    const Oid torn = main.assistant("I look", {{"c3", "Read", R"({"path":"half)"}}).value();
    const Oid plain = main.user("I look").value();
    const std::vector<std::pair<std::string, Set>> table = {
        {"bash", {turn}},
        {"\"mise run test\"", {turn}},
        {"ntest", {}},  // Its escapes are undone.
        {"caf\xc3\xa9", {turn}},
        {"8080 command", {turn}},
        {"\"Bash command\"", {}},  // No phrase goes over from the name.
        {"look", {said, torn, plain}},
        {"look read", {said, torn}},
        {"look NOT read", {plain}},
        {"\"look read\"", {}},
        {"half", {torn}},
    };
    for (const auto& [query, expected] : table) {
      const auto& shown = query;
      CAPTURE(shown);
      CHECK(match(*repository, *index, query) == expected);
    }

    graph::Edit edit;
    edit.tool_calls = std::vector<compile::ToolCall>{{"c1", "Bash", R"({"command":"make"})"}};
    const Oid edited = main.edit(turn, edit).value();
    CHECK(match(*repository, *index, "make") == Set{edited});
    CHECK(match(*repository, *index, "mise") == Set{turn});
    CHECK(graph::search(repository->reader(), {edited}, "make").value() ==
          std::vector<Oid>{edited});
    CHECK(graph::search(repository->reader(), {edited}, "run\ntest").value() ==
          std::vector<Oid>{turn});
    CHECK(graph::search_newest(repository->reader(), {edited}, "Read").value() == torn);
    using graph::LookIn;
    CHECK(graph::search(repository->reader(), {edited}, "Read", LookIn::texts).value().empty());
  }

  TEST_CASE("calls that were erased are said by nobody, in no byte of the index") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    graph::Branch main = repository->branch("main");
    const Oid turn =
        main.assistant("I look", {{"c1", "Bash", R"({"command":"xylophone"})"}}).value();
    const auto seek = [&](const std::string& query) {
      return match(*repository, *TextIndex::open(index_path, 0600).value(), query);
    };
    CHECK(seek("xylophone") == Set{turn});
    CHECK(bytes_of(index_path).find("xylophone") != std::string::npos);
    const Oid fields = *repository->reader().commit(turn).value()->fields;
    REQUIRE(repository->store().erase(std::vector<Oid>{fields}).value() == 1);
    repository->drop_caches();
    CHECK(bytes_of(index_path).find("xylophone") == std::string::npos);
    CHECK(seek("xylophone").empty());
    CHECK(seek("look") == Set{turn});
    CHECK(bytes_of(index_path).find("xylophone") == std::string::npos);
    CHECK(graph::search(repository->reader(), {turn}, "xylophone").value().empty());
    CHECK(graph::search(repository->reader(), {turn}, "look").value() == std::vector<Oid>{turn});
  }

  TEST_CASE("what was erased while nobody emptied the index is gone at the next query") {
    const StoreFolder folder;
    const std::string path = folder.path + "/store";
    auto repository = graph::Repository::create(path).value();
    const std::string index_path = store::text_index_path(path);
    const std::string aside = folder.path + "/aside";
    const Oid turn = repository->branch("main").user("xylophone").value();
    const Oid content = repository->reader().commit(turn).value()->content->oid;
    match(*repository, *TextIndex::open(index_path, 0600).value(), "xylophone");
    fs::rename(index_path, aside);  // As a copy that was put back afterwards.
    REQUIRE(repository->store().erase(std::vector<Oid>{content}).value() == 1);
    fs::rename(aside, index_path);
    CHECK(match(*repository, *TextIndex::open(index_path, 0600).value(), "xylophone").empty());
  }

  TEST_CASE("a substring is found byte for byte, whatever the text is") {
    std::mt19937 random(7);
    auto repository = graph::Repository::in_memory();
    graph::Branch main = repository->branch("main");
    std::vector<std::pair<Oid, std::string>> turns;
    for (int i = 0; i < 200; ++i) {
      std::string text;
      for (std::size_t size = random() % 40; size > 0; --size) {
        text += "ab\xc3\xa4\x00\xff\n"[random() % 7];
      }
      turns.emplace_back(main.user(text).value(), text);
    }
    for (const std::string& needle :
         {std::string("a"), std::string("ab"), std::string("\xa4"), std::string("\0", 1),
          std::string("\xc3\xa4"), std::string("a\nb"), std::string("\xff\xff")}) {
      std::vector<Oid> expected;
      for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
        if (turn->second.find(needle) != std::string::npos) expected.push_back(turn->first);
      }
      CHECK(!expected.empty());
      CHECK(graph::search(repository->reader(), {turns.back().first}, needle).value() == expected);
      CHECK(graph::search_newest(repository->reader(), {turns.back().first}, needle).value() ==
            expected.front());
    }
  }
}
