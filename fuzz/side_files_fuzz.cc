// The files beside a store, damaged: the index of words and the cache of replies. A query finds
// what the store says or ends with a reason, a key has the bytes that were put or none, and both
// files take in again what is put. What erasure empties holds nothing afterwards.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer.h"
#include "edits.h"
#include "folder.h"
#include "graph/repository.h"
#include "graph/text_search.h"
#include "input.h"
#include "store/sha256.h"
#include "store/sqlite/cache_file.h"
#include "store/sqlite/text_index.h"

using namespace spoor;
using fuzz::given;
using graph::Repository;
using store::CacheFile;
using store::Oid;
using store::TextIndex;

namespace {

constexpr int kEntries = 12;
constexpr std::array kQueries = {"gate", "\"red gate\"", "gre*", "gate NOT red", "nothing"};
constexpr std::string_view kSecret = "zanzibar";

void require(bool claim) {
  if (!claim) std::abort();
}

using Found = std::vector<Oid>;

Result<Found> ask(const Repository& repository, TextIndex& index, const char* query) {
  const auto tip = repository.resolve("main");
  if (!tip) return tip.error();
  return graph::match_commits(repository, index, graph::parse_text_query(query).value(),
                              {{tip.value()}, {}});
}

Found answer(const Repository& repository, TextIndex& index, const char* query) {
  return ask(repository, index, query).value();
}

std::unique_ptr<Repository> make_history() {
  auto repository = Repository::in_memory();
  auto branch = repository->branch("main");
  const std::array words = {"red gate", "green gate", "a gate of green wood", "walls", "gates"};
  for (int i = 0; i < 40; ++i) {
    const std::string text = std::string(words[static_cast<std::size_t>(i) % words.size()]) + ' ' +
                             std::to_string(i * i) + ' ' + std::string(kSecret);
    require((i % 2 == 0 ? branch.user(text) : branch.assistant(text)).has_value());
  }
  return repository;
}

// What the index held and what it must say.
struct Words {
  std::unique_ptr<Repository> repository = make_history();
  std::string file;
  std::array<Found, kQueries.size()> answers;

  explicit Words(const std::string& path) {
    const auto index = TextIndex::open(path, 0600).value();
    for (std::size_t i = 0; i < kQueries.size(); ++i) {
      answers[i] = answer(*repository, *index, kQueries[i]);
    }
    file = fuzz::read_file(path);
  }
};

Oid key_of(int number) { return store::sha256(std::to_string(number)); }
std::string reply_of(int number) {
  return std::string(kSecret) + std::string(static_cast<std::size_t>(number) * 97, 'r');
}

std::string sound_cache(const std::string& path) {
  const auto cache = CacheFile::open(path, {}).value();
  for (int i = 0; i < kEntries; ++i) require(cache->put(key_of(i), reply_of(i)).has_value());
  return fuzz::read_file(path);
}

void check_words(const std::string& path, const Words& words, bool is_untouched) {
  auto opened = TextIndex::open(path, 0600);
  if (!given(opened)) return;
  TextIndex& index = **opened;
  for (std::size_t i = 0; i < kQueries.size(); ++i) {
    const auto found = ask(*words.repository, index, kQueries[i]);
    if (given(found) && is_untouched) require(*found == words.answers[i]);
  }
  // Emptied and fed once more, it says the truth again.
  if (index.empty()) {
    for (std::size_t i = 0; i < kQueries.size(); ++i) {
      require(answer(*words.repository, index, kQueries[i]) == words.answers[i]);
    }
  }
}

void check_cache(const std::string& path) {
  const auto opened = CacheFile::open(path, {});
  if (!given(opened)) return;
  CacheFile& cache = **opened;
  given(cache.size());
  for (int i = 0; i < kEntries; ++i) {
    const auto kept = cache.get(key_of(i));
    if (given(kept) && *kept) require(**kept == reply_of(i));
  }
  const auto put = cache.put(key_of(3), "another");
  if (put) require(cache.get(key_of(3)).value() == "another");
  const auto dropped = cache.drop(key_of(4));
  if (dropped) {
    const auto kept = cache.get(key_of(4));
    if (given(kept)) require(!kept->has_value());
  }
  const auto cleared = cache.clear();
  if (cleared) require(cache.get(key_of(1)).value() == std::nullopt);
}

}  // namespace

// The first byte: which file, in its lowest bit; whether it is erased, in the next. The rest: how
// it is damaged (edits.h).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const Words words(folder / "sound-words");
  static const std::string cache = sound_cache(folder / "sound-cache");
  const std::string path = folder / "file";
  fuzz::Input input(data, size);
  const unsigned first = input.byte();
  const bool is_words = (first & 1U) == 0;
  const std::string& sound = is_words ? words.file : cache;
  std::string file = sound;
  fuzz::damage(file, input);
  fuzz::remove_database(path);
  fuzz::write_file(path, file);
  if ((first & 2U) != 0) {
    const auto forgotten = is_words ? TextIndex::forget(path) : CacheFile::forget(path);
    const bool is_foreign = !is_words && fuzz::read_file(path) == file;  // And so left alone.
    if (forgotten && !is_foreign) {
      require(fuzz::read_file(path).find(kSecret) == std::string::npos);
    }
    return 0;
  }
  if (is_words) {
    check_words(path, words, file == sound);
  } else {
    check_cache(path);
  }
  return 0;
}
