#include "receive/spooled.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

namespace spoor::receive {
namespace {

// A spool in a folder that is removed at the end.
struct Folder {
  std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "spooled-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    return name;
  }();
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string event(int number) {
  return fmt::format(
      R"({{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"{}","attributes":[)"
      R"({{"key":"event.name","value":{{"stringValue":"codex.tool_result"}}}},)"
      R"({{"key":"conversation.id","value":{{"stringValue":"c"}}}}]}}]}}]}}]}})",
      1'780'000'000'000'000'000 + number * 1000);
}

TEST_SUITE("receive/spooled") {
  TEST_CASE("Events wait for others, but not for more than may be in memory") {
    const Folder folder;
    const auto spool = proxy::Spool::open(folder.path).value();
    for (int i = 0; i < 9; ++i) REQUIRE(put(spool, Signal::logs, event(i)).has_value());
    const auto repository = graph::Repository::in_memory();

    SpoolRecorder patient(spool, *repository);
    REQUIRE(patient.record({}, false).has_value());
    CHECK(patient.events().events == 0);
    CHECK(spool.names().value().size() == 9);

    SpoolRecorder small(spool, *repository, {}, 3 * event(0).size());
    REQUIRE(small.record({}, false).has_value());
    CHECK(small.events().events == 8);  // Twice four: the last one is not too much.
    CHECK(spool.names().value().size() == 1);
    REQUIRE(small.record({}, true).has_value());
    CHECK(small.events().events == 9);
    CHECK(spool.names().value().empty());
  }
}

}  // namespace
}  // namespace spoor::receive
