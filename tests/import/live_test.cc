// A file that is read while it is written: whatever is appended when, the end is that of an import
// of the whole file, and nothing of it is read twice.

#include <doctest/doctest.h>

#include <random>

#include "import/live/file.h"
#include "store/ancestry.h"
#include "tests/import/support.h"
#include "tests/support/soak.h"

using namespace import_test;
using spoor::import::importers;
using spoor::import::LiveFile;

namespace {

class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "spoor-live-XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

std::string importer_of(std::string_view text) {
  const auto best = spoor::import::best_importers(text.substr(0, spoor::import::kHead));
  return best.empty() ? std::string() : std::string(best.front()->name);
}

bool is_live(std::string_view text) {
  const auto best = spoor::import::best_importers(text.substr(0, spoor::import::kHead));
  return !best.empty() && best.front()->open != nullptr;
}

std::string imported(Repository& repository, const std::string& path, std::string_view text) {
  spoor::import::TextSource source(path, text);
  REQUIRE(spoor::import::import_source(source, repository, {}));
  return refs_text(repository);
}

// Writes a text to a file in pieces and looks at it after each.
void check_in_pieces(const std::string& text, const std::string& name, std::mt19937& random,
                     std::size_t most_pieces) {
  const Folder folder;
  const std::string path = folder.file(name);
  const auto whole = Repository::in_memory();
  const std::string wanted = imported(*whole, path, text);
  const auto repository = Repository::in_memory();
  LiveFile live(path, importer_of(text), *repository);
  CHECK_FALSE(live.update().value());
  std::size_t at = 0;
  const std::size_t mean = std::max<std::size_t>(text.size() / most_pieces, 1);
  while (at < text.size()) {
    const std::size_t size = std::uniform_int_distribution<std::size_t>(1, 2 * mean)(random);
    append(path, std::string_view(text).substr(at, size));
    at = std::min(text.size(), at + size);
    REQUIRE(live.update());
  }
  CHECK_FALSE(live.update().value());  // Nothing is new.
  // What is there is there to stay.
  for (const auto& ref : repository->store().refs("refs/heads/").value()) {
    REQUIRE(whole->store().has(std::array{ref.target}).value()[0]);
  }
  REQUIRE(live.finish());
  CHECK(refs_text(*repository) == wanted);
}

std::vector<fs::path> line_files(const fs::path& folder, std::uintmax_t most) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool is_lines = entry->is_regular_file() && entry->path().extension() == ".jsonl";
    if (is_lines && entry->file_size() <= most) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_SUITE("import/live") {
  TEST_CASE("every sample of lines, in pieces of any size") {
    std::mt19937 random(spoor::testing::seeded(20261127));
    std::size_t files = 0;
    for (const fs::path& folder : {kFixtures, fs::path(SPOOR_SOURCE_DIR) / "tests/data/import"}) {
      for (const fs::path& path : line_files(folder, 1U << 20U)) {
        const std::string text = read_file(path);
        if (!is_live(text)) continue;
        CAPTURE(path.string());
        ++files;
        for (int round = 0; round < spoor::testing::rounds(3); ++round) {
          check_in_pieces(text, path.filename().string(), random, 1U << (2 * round % 9));
        }
      }
    }
    CHECK(files > 20);
  }

  TEST_CASE("a file that is replaced, cut or rewritten is read anew") {
    const Folder folder;
    const std::string path = folder.file("rollout.jsonl");
    const std::string first = codex_message("user", "One?") + codex_message("assistant", "One.");
    const std::string second = codex_message("user", "Two?") + codex_message("assistant", "Two.");
    const auto repository = Repository::in_memory();
    LiveFile live(path, "codex", *repository);
    append(path, first + second);
    CHECK(live.update().value());
    SUBCASE("cut") { fs::resize_file(path, first.size()); }
    SUBCASE("replaced") {
      append(folder.file("other"), first);
      fs::rename(folder.file("other"), path);
    }
    SUBCASE("rewritten with more") {
      std::ofstream(path) << codex_message("user", std::string(4'000, 'x')) + first;
    }
    SUBCASE("gone") {
      fs::remove(path);
      CHECK_FALSE(live.update().value());
      append(path, first);
    }
    CHECK(live.update());
    append(path, codex_message("user", "Three?") + codex_message("assistant", "Three."));
    CHECK(live.update().value());
    REQUIRE(live.finish());
    std::string all;
    for (const auto& ref : repository->store().refs("refs/heads/").value()) {
      all += outline(history(*repository, ref.name)) + "\n";
    }
    CHECK(all.find("One.|user:Three?|assistant:Three.") != all.npos);
  }

  TEST_CASE("a file of another kind is passed over until it is one, a document is read whole") {
    const Folder folder;
    const auto repository = Repository::in_memory();
    LiveFile odd(folder.file("odd.jsonl"), "", *repository);
    append(folder.file("odd.jsonl"), "{\"nothing\":1}\n");
    CHECK_FALSE(odd.update().value());
    CHECK_FALSE(odd.update().value());
    CHECK(ref_names(*repository).empty());

    LiveFile document(folder.file("chat.json"), "", *repository);
    append(folder.file("chat.json"), R"([{"role":"user","content":"Hi"},)");
    (void)document.update();
    append(folder.file("chat.json"), R"({"role":"assistant","content":"Hello"}])");
    CHECK(document.finish().value());
    CHECK(ref_names(*repository).size() >= 1);
  }
}

TEST_SUITE("import/real_sessions") {
  TEST_CASE("real sessions that are written in pieces come to what their files come to") {
    if (!fs::exists(kSharedData)) {
      MESSAGE("skipped: no real sessions here");
      return;
    }
    std::mt19937 random(spoor::testing::seeded(7));
    std::size_t files = 0;
    for (const char* set : {"claude-code-entire-cli", "claude-code-entirecontext",
                            "codex-communique", "codex-hk", "pi-mono", "record-type-coverage"}) {
      for (const fs::path& path : line_files(kSharedData / set, 2U << 20U)) {
        const std::string text = read_file(path);
        if (!is_live(text)) continue;
        CAPTURE(path.string());
        ++files;
        check_in_pieces(text, path.filename().string(), random, 12);
      }
    }
    MESSAGE(files << " real sessions written in pieces");
    CHECK(files > 10);
  }
}
