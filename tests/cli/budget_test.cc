// Commands that read a hostile store or file keep to a small memory. Each runs in a process of its
// own, whose largest size the system tells.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "cli/application.h"
#include "store/blob.h"
#include "store/commit.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"
#include "tests/support/sanitized.h"

using spoor::test::Program;
using spoor::testing::holds;
using spoor::testing::kIsSanitized;

namespace {

// Keeps the beginning of what is written, and forgets the rest.
class SmallTerminal final : public spoor::cli::Terminal {
 public:
  std::string said;
  bool write(spoor::cli::Stream stream, std::string_view bytes) override {
    const std::size_t most = stream == spoor::cli::Stream::err ? 8'000 : 4'000;
    if (said.size() < most) said += bytes.substr(0, most - said.size());
    return true;
  }
  spoor::Result<std::size_t> read(std::span<char> /*buffer*/) override { return std::size_t{0}; }
  bool is_tty(spoor::cli::Stream /*stream*/) const override { return false; }
  bool input_is_tty() const override { return false; }
  int width() const override { return 80; }
  int height() const override { return 24; }
  void start_pager(const std::string& /*command*/) override {}
  spoor::Result<void> finish() override { return {}; }
};

struct Ran {
  int status = 0;
  std::string said;
  long peak_mib = 0;
};

Ran run(const Program& spoor, const std::vector<std::string>& words) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    SmallTerminal terminal;
    const int status =
        spoor::cli::run_command_line({terminal, spoor.environment, spoor.clock}, words);
    const bool is_told = ::write(pipe[1], terminal.said.data(), terminal.said.size()) >= 0;
    ::_exit(is_told ? status : 99);
  }
  ::close(pipe[1]);
  Ran ran;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(pipe[0], buffer.data(), buffer.size())) > 0;) {
    ran.said.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(pipe[0]);
  int status = 0;
  struct rusage usage {};
  REQUIRE(::wait4(child, &status, 0, &usage) == child);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.peak_mib = usage.ru_maxrss / 1024;
  return ran;
}

void check_peak(const Ran& ran, long most_mib) {
  if (!kIsSanitized) CHECK(ran.peak_mib < most_mib);
}

// A branch of `commits` turns, each with the same text of `parts` equal parts.
void make_store(const Program& spoor, std::size_t parts, std::size_t commits) {
  using namespace spoor;
  using namespace spoor::store;
  const auto store = SqliteStore::create(spoor.folder.path + "/.spoor").value();
  const NewObject part = encode_content(std::string(kChunkPart, 'x'), Salter()).back();
  const ChunkList list{.size = parts * kChunkPart, .parts = std::vector<Oid>(parts, part.oid)};
  const NewObject text = parts == 1 ? part : new_object(Kind::chunks, serialize(list));
  Transaction transaction{.objects = {part, text}, .actor = "x", .command = "x", .time = {1}};
  Commit commit;
  commit.type = Type::user;
  commit.content = Content{text.oid};
  std::vector<Oid> line;
  for (std::size_t i = 0; i < commits; ++i) {
    if (i > 0) commit.parents = {line.back()};
    if (i > 1) commit.skip = line[skip_height(i)];
    commit.depth = commit.gen = i;
    transaction.objects.push_back(new_object(Kind::commit, serialize(commit).value()));
    line.push_back(transaction.objects.back().oid);
  }
  transaction.refs = {{"refs/heads/main", std::nullopt, line.back()}};
  REQUIRE(store->commit(transaction));
}

}  // namespace

TEST_SUITE("cli/budget") {
  TEST_CASE("a text of ten gigabytes in three megabytes ends each reader with a hint") {
    Program spoor;
    make_store(spoor, 40'000, 1);
    const std::vector<std::vector<std::string>> commands = {
        {"show"},    {"show", "--json"}, {"show", "--text"}, {"log"},  {"log", "-p"},
        {"compile"}, {"pprint"},         {"search", "x"},    {"stats"}};
    for (const auto& words : commands) {
      CAPTURE(words.front());
      const Ran ran = run(spoor, words);
      CHECK(ran.status == 1);
      CHECK_MESSAGE(holds(ran.said, "over the limit of 256 MiB"), ran.said);
      CHECK(holds(ran.said, "SPOOR_MAX_TEXT=10001"));
      check_peak(ran, 150);
    }
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"store", "fsck"}, {"store", "gc"}, {"oplog"}}) {
      const Ran ran = run(spoor, words);
      CHECK(ran.status == 0);
      check_peak(ran, 150);
    }
  }

  TEST_CASE("a prompt in which a thousand turns have one text ends with a hint") {
    Program spoor;
    make_store(spoor, 1, 2'000);  // 500 MiB.
    const Ran ran = run(spoor, {"compile"});
    CHECK(ran.status == 1);
    CHECK_MESSAGE(holds(ran.said, "the prompt is"), ran.said);
    check_peak(ran, 300);
    CHECK(run(spoor, {"compile", "--window", "10"}).status == 0);
  }

  TEST_CASE("a text of a hundred megabytes is shown in less than four times its size") {
    Program spoor;
    make_store(spoor, 400, 1);
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"show"}, {"show", "--text"}, {"log"}, {"pprint"}}) {
      CAPTURE(words.front());
      const Ran ran = run(spoor, words);
      CHECK(ran.status == 0);
      check_peak(ran, 400);
    }
  }

  TEST_CASE("the limit is a setting, which a store cannot raise") {
    Program spoor;
    make_store(spoor, 8, 1);  // 2 MiB.
    spoor.environment.variables["SPOOR_MAX_TEXT"] = "1";
    CHECK(run(spoor, {"show"}).status == 1);
    spoor.environment.variables["SPOOR_MAX_TEXT"] = "2";
    CHECK(run(spoor, {"show"}).status == 0);
    spoor.environment.variables["SPOOR_MAX_TEXT"] = "none";
    CHECK(holds(run(spoor, {"show"}).said, "'max-text' is a number of MiB"));
  }

  TEST_CASE("a line of a session file that is too long is passed over in little memory") {
    Program spoor;
    const std::string path = spoor.folder.path + "/session.jsonl";
    {
      const auto record = [](const char* id, const char* parent) {
        return std::string(R"({"type":"user","sessionId":"s","uuid":")") + id +
               R"(","parentUuid":)" + parent + R"(,"timestamp":"2026-01-01T00:00:00Z",)" +
               R"("message":{"role":"user","content":")";
      };
      std::ofstream file(path);
      file << record("u1", "null") << "first\"}}\n" << record("u2", "\"u1\"");
      const std::string piece(1U << 20U, 'x');
      for (int i = 0; i < 200; ++i) file << piece;
      file << "\"}}\n" << record("u3", "\"u1\"") << "last\"}}\n";
    }
    const Ran ran = run(spoor, {"import", path});
    check_peak(ran, 300);
    CHECK(holds(spoor.out({"log"}), "last"));
    CHECK_MESSAGE(holds(ran.said, "bytes is longer than any record"), ran.said);
  }
}
