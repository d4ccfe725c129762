// What commands say when the disk fails under the store.
#include <string>

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "tests/cli/program.h"
#include "tests/store/watched_vfs.h"

using spoor::store::WatchedVfs;
using spoor::test::Program;

TEST_SUITE("cli/failing_disk") {
  TEST_CASE("a store that the disk does not give is not opened for reading instead") {
    Program spoor;
    spoor.make_history();
    std::size_t failed = 0;
    for (int nth = 1; nth <= 4; ++nth) {
      CAPTURE(nth);
      int count = 0;
      Program::Answer answer;
      {
        const WatchedVfs watch(WatchedVfs::LookGate([&](WatchedVfs::Look look, const std::string&) {
          const bool is_refused = look == WatchedVfs::Look::read && ++count == nth;
          return is_refused ? SQLITE_IOERR_CORRUPTFS : SQLITE_OK;
        }));
        answer = spoor({"user", "lost"});
      }
      if (answer.status == 0) continue;
      ++failed;
      CAPTURE(answer.err);
      CHECK(answer.err.find("the disk failed") != std::string::npos);
    }
    CHECK(failed > 0);
    CHECK(spoor({"user", "goes on"}).status == 0);
  }
}
