// A server that ends what takes too long, or has no room left.
#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "store/fsck.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/chores.h"
#include "tests/store/postgres_server.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sample.h"
#include "tests/store/sound.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// A folder of its own file system, which the server may write.
class SmallDisk {
 public:
  explicit SmallDisk(const PostgresServer& server) {
    is_mounted_ = ::mount("none", path().c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!is_mounted_) return;
    REQUIRE(::chmod(path().c_str(), 0777) == 0);
    REQUIRE(::mkdir((path() + "/files").c_str(), 0700) == 0);
    struct stat of_server {};
    REQUIRE(::stat(server.data().c_str(), &of_server) == 0);
    REQUIRE(::chown((path() + "/files").c_str(), of_server.st_uid, of_server.st_gid) == 0);
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  const std::string& path() const { return folder_.path(); }
  void grow() const {
    REQUIRE(::mount("none", path().c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0);
  }

 private:
  TempDir folder_;
  bool is_mounted_ = false;
};

std::string random_text(std::mt19937& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text.push_back(static_cast<char>(random() % 256));
  return text;
}

}  // namespace

TEST_SUITE("store/postgres") {
  TEST_CASE("what a role's statement_timeout ends is named, and the next call goes on") {
    if (PostgresServer::get() == nullptr) return;
    const std::string address = PostgresServer::get()->new_address();
    const auto owner = PostgresStore::create(address, {}).value();
    for (const char* each :
         {"CREATE ROLE hurried LOGIN", "ALTER ROLE hurried SET statement_timeout = '300ms'",
          "SELECT spoor.allow(convert_from(name, 'UTF8'), 'hurried', 'admin') "
          "FROM spoor.stores WHERE id = $1"}) {
      REQUIRE(run_sql(address, each));
    }
    const auto store = PostgresStore::open(as_user(address, "hurried"), {}).value();
    const std::string archive = archive_of_another_store();
    History history;
    REQUIRE(append(*store, history, "main", "one"));
    const std::function<Result<void>()> calls[] = {
        [&]() -> Result<void> {
          TRY(append(*store, history, "main", "two"));
          return {};
        },
        [&] { return import_archive(*store, archive, "theirs"); },
        [&] { return collect_garbage(*store); },
        [&] { return erase_something(*store, 1); },
    };
    REQUIRE(owner->exclusive([&]() -> Result<void> {
      for (const auto& call : calls) {
        const auto ended = call();
        REQUIRE_FALSE(ended);
        CHECK(ended.error().code == Error::Code::unavailable);
        CHECK(ended.error().message.find("statement timeout") != std::string::npos);
        CHECK(ended.error().hint.find("statement_timeout") != std::string::npos);
      }
      return {};
    }));
    CHECK(owner->operations(0, 10).value().size() == 1);
    for (const auto& call : calls) CHECK(call());
    check_is_sound(*owner);
  }

  TEST_CASE("a server whose disk is full says so, loses nothing, and goes on when there is room") {
    const auto server = PostgresServer::start(false);
    if (server == nullptr) return;
    const std::string address = server->new_address();
    const auto store = PostgresStore::create(address, {}).value();
    const SmallDisk disk(*server);
    if (!disk.is_mounted()) {
      std::fputs("skipped: no small disk can be mounted here\n", stderr);
      return;
    }
    static const std::string kPlace =
        "CREATE TABLESPACE small LOCATION '" + disk.path() + "/files'";
    REQUIRE(run_sql(address, kPlace.c_str()));
    REQUIRE(run_sql(address, "ALTER TABLE spoor.objects SET TABLESPACE small"));
    std::mt19937 random(spoor::testing::seeded(11));
    History history;
    std::optional<Error> ended;
    std::size_t acknowledged = 0;
    for (; !ended && acknowledged < 200; ++acknowledged) {
      const auto made = append(*store, history, "main", random_text(random, 20'000));
      if (!made) ended = made.error();
      if (!made) break;
    }
    REQUIRE(ended);
    CHECK(ended->code == Error::Code::unavailable);
    CHECK(ended->message.find("could not extend file") != std::string::npos);
    CHECK(ended->hint.find("room") != std::string::npos);
    CHECK(acknowledged > 3);
    const auto next = PostgresStore::open(address, {}).value();
    CHECK(next->operations(0, 1'000).value().size() == acknowledged);
    check_is_sound(*next);
    disk.grow();
    REQUIRE(append(*next, history, "main", "there is room"));
    check_is_sound(*next);
  }
}
