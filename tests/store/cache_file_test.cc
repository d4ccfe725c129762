#include "store/sqlite/cache_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "store/blob.h"
#include "store/sha256.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace spoor::store;
namespace fs = std::filesystem;

namespace {

// A path of its own, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "spoor-cache-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~Scratch() { fs::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path() const { return folder_ + "/s-replies"; }

 private:
  std::string folder_;
};

Oid key(std::string_view name) { return sha256(name); }

std::unique_ptr<CacheFile> opened(const std::string& path, CacheFile::Options options = {}) {
  auto cache = CacheFile::open(path, options);
  REQUIRE_MESSAGE(cache, cache.error().message);
  return std::move(cache).value();
}

std::string kept(CacheFile& cache, std::string_view name) {
  return cache.get(key(name)).value().value_or("none");
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Puts other bytes over those of the file, from an offset on.
void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

}  // namespace

TEST_SUITE("store/cache_file") {
  TEST_CASE("what was put in comes out again, byte for byte, also from a new process's view") {
    const Scratch scratch;
    const std::string bytes("a\0b\xff", 4);
    {
      const auto cache = opened(scratch.path());
      CHECK(kept(*cache, "x") == "none");
      REQUIRE(cache->put(key("x"), bytes));
      REQUIRE(cache->put(key("empty"), ""));
    }
    const auto cache = opened(scratch.path());
    CHECK(kept(*cache, "x") == bytes);
    CHECK(kept(*cache, "empty").empty());
    CHECK(cache->size().value() == CacheFile::Size{2, 4});
  }

  TEST_CASE("a key has one entry, the last") {
    const Scratch scratch;
    const auto cache = opened(scratch.path());
    REQUIRE(cache->put(key("x"), "first"));
    REQUIRE(cache->put(key("x"), "second one"));
    CHECK(kept(*cache, "x") == "second one");
    CHECK(cache->size().value() == CacheFile::Size{1, 10});
    REQUIRE(cache->drop(key("x")));
    REQUIRE(cache->drop(key("y")));
    CHECK(cache->size().value() == CacheFile::Size{0, 0});
  }

  TEST_CASE("the oldest make room for the newest") {
    const Scratch scratch;
    const auto cache = opened(scratch.path(), {.max_bytes = 10});
    for (const char* name : {"a", "b", "c"}) REQUIRE(cache->put(key(name), "1234"));
    CHECK(kept(*cache, "a") == "none");
    CHECK(kept(*cache, "b") == "1234");
    REQUIRE(cache->put(key("b"), "4321"));  // Now c is the oldest.
    REQUIRE(cache->put(key("d"), "123456"));
    CHECK(kept(*cache, "c") == "none");
    CHECK(kept(*cache, "b") == "4321");
    REQUIRE(cache->put(key("d"), "12345678901"));  // More than all the room.
    CHECK(kept(*cache, "d") == "none");
    CHECK(cache->size().value() == CacheFile::Size{1, 4});
  }

  TEST_CASE("the file is its owner's alone") {
    const Scratch scratch;
    opened(scratch.path());
    struct stat status = {};
    REQUIRE(::stat(scratch.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
  }

  TEST_CASE("entries of another version are forgotten") {
    const Scratch scratch;
    REQUIRE(opened(scratch.path())->put(key("x"), "old"));
    CHECK(kept(*opened(scratch.path(), {.version = 2}), "x") == "none");
  }

  TEST_CASE("a file that is not ours is refused, and left as it is") {
    const Scratch scratch;
    for (const std::string& bytes : {std::string("my shopping list"), std::string(5000, 'x')}) {
      write_file(scratch.path(), bytes);
      CHECK(CacheFile::open(scratch.path(), {}).error().code == Error::Code::invalid);
      REQUIRE(CacheFile::forget(scratch.path()));
      CHECK(read_file(scratch.path()) == bytes);
    }
    fs::remove(scratch.path());
    { REQUIRE(SqliteStore::create(scratch.path())); }
    CHECK(CacheFile::open(scratch.path(), {}).error().code == Error::Code::invalid);
    CHECK(SqliteStore::open(scratch.path()));
  }

  TEST_CASE("an entry whose bytes were changed is dropped") {
    const Scratch scratch;
    REQUIRE(opened(scratch.path())->put(key("x"), "the very words that a model said"));
    const std::string file = read_file(scratch.path());
    overwrite(scratch.path(), file.find("very"), "VERY");
    const auto cache = opened(scratch.path());
    CHECK(kept(*cache, "x") == "none");
    CHECK(cache->size().value() == CacheFile::Size{0, 0});
  }

  TEST_CASE("a file of ours that is damaged is made anew") {
    const Scratch scratch;
    {
      const auto cache = opened(scratch.path());
      for (int i = 0; i < 50; ++i) {
        REQUIRE(cache->put(key(std::to_string(i)), std::string(1000, 'x')));
      }
    }
    const std::string sound = read_file(scratch.path());
    for (std::size_t page = 1; page * 4096 < sound.size(); ++page) {
      write_file(scratch.path(), sound);
      overwrite(scratch.path(), page * 4096, std::string(4096, '\xa5'));
      const auto cache = opened(scratch.path());
      for (int i = 0; i < 50; ++i) {
        const std::string bytes = kept(*cache, std::to_string(i));
        CHECK((bytes == "none" || bytes == std::string(1000, 'x')));
      }
      REQUIRE(cache->put(key("new"), "y"));
      CHECK(kept(*cache, "new") == "y");
    }
    write_file(scratch.path(), sound.substr(0, 4096));
    const auto cut = opened(scratch.path());
    CHECK(kept(*cut, "1") == "none");
    REQUIRE(cut->put(key("1"), "z"));
    CHECK(kept(*cut, "1") == "z");
  }

  TEST_CASE("a link is not followed") {
    const Scratch scratch;
    write_file(scratch.path() + "-target", "");
    REQUIRE(::symlink((scratch.path() + "-target").c_str(), scratch.path().c_str()) == 0);
    CHECK(CacheFile::open(scratch.path(), {}).error().code == Error::Code::io);
  }

  TEST_CASE("erasing in a store empties the cache beside it") {
    const Scratch scratch;
    const std::string path = scratch.path().substr(0, scratch.path().size() - 8);
    CHECK(reply_cache_path(path) == scratch.path());
    const auto store = std::move(SqliteStore::create(path)).value();
    const NewObject blob = encode_content("secret", Salter()).back();
    REQUIRE(store->put(std::array{blob}));
    REQUIRE(opened(scratch.path())->put(key("x"), "secret"));
    REQUIRE(store->erase(std::array{blob.oid}));
    CHECK(kept(*opened(scratch.path()), "x") == "none");
    CHECK(read_file(scratch.path()).find("secret") == std::string::npos);
  }

  TEST_CASE("threads and several openings share one file") {
    const Scratch scratch;
    {
      const auto shared = opened(scratch.path());
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          const auto own =
              t % 2 == 0 ? nullptr : std::move(CacheFile::open(scratch.path(), {})).value();
          CacheFile& cache = own ? *own : *shared;
          for (int i = 0; i < 25; ++i) {
            const std::string name = std::to_string(t) + "/" + std::to_string(i % 20);
            if (!cache.put(key(name), name)) std::abort();
            if (cache.get(key(name)).value() != name) std::abort();
          }
        });
      }
    }
    CHECK(opened(scratch.path())->size().value().entries == 80);
  }
}
