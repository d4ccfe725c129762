// Random histories as git repositories: git finds nothing wrong with them, the commits and
// parents are ours, and the folder prompt/ says what compiles.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cli/git/export.h"
#include "cli/git/object.h"
#include "graph/merge.h"
#include "graph/refs.h"
#include "graph/repository.h"
#include "store/ancestry.h"
#include "tests/cli/program.h"
#include "tests/cli/temporary_folder.h"
#include "tests/support/ports.h"
#include "tests/support/soak.h"

using namespace spoor;
using cli::git::Exported;
using cli::git::Request;
using spoor::Result;
using store::Oid;

namespace {

bool has_git() {
  static const bool found = std::system("git --version >/dev/null 2>&1") == 0;
  if (!found) MESSAGE("skipped: there is no git here");
  return found;
}

// What git prints about a repository, errors too; `[status N]` behind it unless N is 0.
std::string run_git(const std::string& repository, const std::string& words) {
  const std::string command = fmt::format(
      "GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -C '{}' {} 2>&1", repository, words);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  if (const int status = ::pclose(pipe); status != 0) output += fmt::format("[status {}]", status);
  return output;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class World {
 public:
  explicit World(std::uint64_t seed) : engine_(spoor::testing::seeded(seed)) {
    graph::Repository::Options options;
    options.clock = clock_;
    repository_ = graph::Repository::in_memory(options);
  }

  void step() {
    clock_->advance(1);
    const auto at = somewhere();
    if (!at) return append();
    switch (below(14)) {
      case 0:
        return write([&](auto& draft) { return create_branch(draft, fresh(), at->second); });
      case 1:
        return write([&](auto& draft) -> Result<void> {
          TRY(create_tag(draft, fresh(), at->second, "a note\n", {"ada", clock_->now()}));
          return {};
        });
      case 2:
      case 3:
        return merge(at->first);
      case 4:
        return write([&](auto& draft) -> Result<void> {
          const compile::Turn summary{.type = compile::Type::summary, .text = words()};
          TRY(draft.compress(at->first, {.from = {}, .to = at->second, .only = {}}, summary, {}));
          return {};
        });
      case 5:
      case 6:
        return write([&](auto& draft) -> Result<void> {
          const auto priority = static_cast<compile::Priority>(below(3));
          TRY(draft.annotate(at->first, at->second, priority, below(2) == 0 ? "" : words(), {}));
          return {};
        });
      case 7:
      case 8:
        return write([&](auto& draft) -> Result<void> {
          const graph::Edit edit{.text = words(), .tool_calls = {}};
          TRY(draft.edit(at->first, at->second, edit, {}));
          return {};
        });
      default:
        return append();
    }
  }

  Request everything(const std::string& path) {
    Request request{.path = path};
    for (const char* prefix : {"refs/heads/", "refs/tags/"}) {
      for (const auto& ref : repository_->store().refs(prefix).value()) request.refs.push_back(ref);
    }
    request.head_ref = request.refs.front().name;
    return request;
  }

  void check() {
    const test::TemporaryFolder folder;
    const std::string path = folder.path + "/out.git";
    const Request request = everything(path);
    const auto step = [](std::uint64_t, std::uint64_t) { return Result<void>(); };
    const auto made = cli::git::export_repository(repository_->reader(), request, step);
    REQUIRE_MESSAGE(made, made.error().message);
    CHECK(run_git(path, "fsck --strict --full --no-progress") == "");

    // Every commit, by its trailer, and its parents.
    std::map<std::string, std::string> spoor_of;
    const std::string format =
        "log --all --format='%H %(trailers:key=Spoor-Commit,valueonly,separator=%x20) %P'";
    std::vector<std::vector<std::string>> commits;
    for (const std::string& line : lines_of(run_git(path, format))) {
      std::istringstream in(line);
      std::vector<std::string> parts;
      for (std::string part; in >> part;) parts.push_back(part);
      REQUIRE(parts.size() >= 2);
      spoor_of[parts[0]] = parts[1];
      commits.push_back(std::move(parts));
    }
    CHECK(commits.size() == made->commits);
    std::size_t count = 0;
    std::vector<Oid> tips;
    for (const auto& ref : request.refs) {
      tips.push_back(repository_->reader().peel(ref.target).value());
    }
    REQUIRE(store::walk_history(repository_->reader(), tips,
                                [&](const store::NamedCommit&) { return ++count, true; }));
    CHECK(commits.size() == count);
    for (const auto& parts : commits) {
      const auto commit = repository_->reader().commit(*Oid::from_hex(parts[1])).value();
      std::vector<std::string> theirs;
      for (std::size_t i = 2; i < parts.size(); ++i) theirs.push_back(spoor_of.at(parts[i]));
      std::vector<std::string> ours;
      for (const Oid& parent : commit->parents) ours.push_back(parent.hex());
      CHECK(theirs == ours);
    }
    for (int i = 0; i < 6; ++i) {
      const auto& parts = one_of(commits);
      check_prompt(path, parts[0], *Oid::from_hex(parts[1]));
    }
  }

 private:
  // The texts of prompt/, in the order of its names, are the prompt.
  void check_prompt(const std::string& path, const std::string& commit, const Oid& ours) {
    std::vector<std::string> theirs;
    for (const std::string& line : lines_of(run_git(path, "ls-tree -r " + commit + " prompt/"))) {
      if (line.ends_with(".pinned.md") || line.ends_with(".calls.json")) continue;
      theirs.push_back(line.substr(12, 40));
    }
    std::vector<std::string> expected;
    const auto prompt = repository_->compile(ours).value();
    for (const auto& message : prompt.messages) {
      for (const auto& part : message.parts) {
        expected.push_back(cli::git::name_object(cli::git::Kind::blob, *part.text).hex());
      }
    }
    CHECK(theirs == expected);
  }

  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  std::string fresh() {
    static const std::array<const char*, 3> kParts = {"a", "b", "x.lock"};
    std::string name = kParts[static_cast<std::size_t>(below(3))] + std::to_string(below(3));
    while (below(3) == 0)
      name += std::string("/") + kParts[static_cast<std::size_t>(below(3))] + "1";
    return name;
  }

  std::string words() {
    static const std::array<const char*, 6> kWords = {
        "red", "<b@c>", "\xff\xfe", "\nSpoor-Commit: no", "\r\n\x1b[31m", "é"};
    std::string text = fmt::format("{} ", ++count_);
    for (int i = below(4); i > 0; --i) text += kWords[static_cast<std::size_t>(below(6))];
    if (below(8) == 0) text += std::string("\0nul", 4);
    return text;
  }

  std::optional<std::pair<std::string, Oid>> somewhere() {
    const auto refs = repository_->store().refs("refs/heads/").value();
    if (refs.empty()) return std::nullopt;
    const auto& ref = one_of(refs);
    std::vector<Oid> chain;
    REQUIRE(repository_->reader().run(
        ref.target, 30, [&](const auto& named) { return chain.push_back(named.oid), true; }));
    return std::pair(ref.name, one_of(chain));
  }

  // Some of what is tried is refused, which is fine: it then made nothing.
  void write(const std::function<Result<void>(graph::Draft&)>& body) {
    (void)repository_->transact("test", graph::OnConflict::fail, body);
  }

  void merge(const std::string& into) {
    const auto refs = repository_->store().refs("refs/heads/").value();
    const Oid source = one_of(refs).target;
    graph::MergeRequest request{.mode = below(2) == 0 ? store::Mode::append : store::Mode::ours,
                                .no_fast_forward = true};
    if (below(4) == 0) {
      request.mode = store::Mode::digest;
      request.digest = compile::Turn{.type = compile::Type::summary, .text = words()};
    }
    write([&](auto& draft) -> Result<void> {
      TRY(graph::merge(draft, repository_->reader(), repository_->folder(), into, source, request));
      return {};
    });
  }

  void append() {
    static const std::array<compile::Type, 8> kTypes = {
        compile::Type::user,     compile::Type::assistant, compile::Type::reasoning,
        compile::Type::system,   compile::Type::artifact,  compile::Type::config,
        compile::Type::decision, compile::Type::user};
    compile::Turn turn{.type = kTypes[static_cast<std::size_t>(below(8))], .text = words()};
    if (turn.type == compile::Type::reasoning) turn.fields.format = "parsed";
    if (turn.type == compile::Type::system && below(2) == 0) turn.fields.name = "tone";
    if (turn.type == compile::Type::config) {
      turn.text.clear();
      turn.fields.set = below(3) == 0 ? R"({"k":null})" : fmt::format(R"({{"k":{}}})", below(9));
    }
    if (turn.type == compile::Type::assistant && below(2) == 0) {
      turn.fields.tool_calls = {{fmt::format("c{}", count_), "../../etc", "{\"a\":[1,\"\\n\"]}"}};
    }
    const auto refs = repository_->store().refs("refs/heads/").value();
    const std::string ref = refs.empty() ? "refs/heads/main" : one_of(refs).name;
    const bool has_time = below(3) != 0;
    write([&](auto& draft) -> Result<void> {
      if (has_time) turn = graph::stamped(turn, "agent <b>", clock_->now());
      TRY(draft.append(ref, turn));
      return {};
    });
  }

  std::shared_ptr<testing::ManualClock> clock_ = std::make_shared<testing::ManualClock>();
  std::unique_ptr<graph::Repository> repository_;
  std::mt19937_64 engine_;
  int count_ = 0;
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_SUITE("cli/git/export") {
  TEST_CASE("random histories are sound repositories that say the same") {
    if (!has_git()) return;
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(12U); ++seed) {
      CAPTURE(seed);
      World world(seed);
      for (int i = 0; i < 90; ++i) world.step();
      world.check();
    }
  }

  TEST_CASE("the same store gives the same names twice") {
    test::Program spoor;
    spoor.make_history();
    const std::string at = spoor.folder.path;
    REQUIRE(spoor({"export", "--git", at + "/one"}).status == 0);
    REQUIRE(spoor({"export", "--git", at + "/two"}).status == 0);
    CHECK(bytes_of(at + "/one/packed-refs") == bytes_of(at + "/two/packed-refs"));
    CHECK(names_in(at + "/one/objects/pack") == names_in(at + "/two/objects/pack"));
    CHECK(bytes_of(at + "/one/HEAD") == "ref: refs/heads/main\n");
  }

  TEST_CASE("a failed export leaves nothing behind") {
    test::Program spoor;
    spoor.make_history();
    std::filesystem::create_directory(spoor.folder.path + "/full");
    std::ofstream(spoor.folder.path + "/full/file") << "x";
    const auto before = names_in(spoor.folder.path);
    const std::string here = spoor.folder.path;
    for (const std::string& path : {here + "/full", here + "/full/file", here + "/no/such/folder",
                                    std::string("."), std::string()}) {
      CAPTURE(path);
      const auto answer = spoor({"export", "--git", path});
      CHECK(answer.status == 1);
      CHECK(answer.err.find("hint: ") != std::string::npos);
      CHECK(names_in(spoor.folder.path) == before);
    }
    CHECK(spoor({"export", "--git", here + "/x", "nosuch"}).status == 1);
    CHECK(spoor({"export", "--git", here + "/x", "--window", "3"}).status == 2);
    CHECK(names_in(spoor.folder.path) == before);
  }

  TEST_CASE("stopped half-way it leaves nothing behind") {
    const test::TemporaryFolder folder;
    const auto repository = graph::Repository::in_memory();
    const Oid tip = repository->branch("main").user("hello").value();
    const Request request{.path = folder.path + "/out", .refs = {{"refs/heads/main", tip}}};
    const auto stop = [](std::uint64_t, std::uint64_t) -> Result<void> {
      return spoor::interrupted("stopped", "nothing was written");
    };
    const auto made = cli::git::export_repository(repository->reader(), request, stop);
    REQUIRE(!made);
    CHECK(made.error().code == spoor::Error::Code::interrupted);
    CHECK(std::filesystem::is_empty(folder.path));
  }

  TEST_CASE("an empty folder is taken, and only the named refs come") {
    test::Program spoor;
    spoor.make_history();
    spoor({"branch", "other", "HEAD~2"});
    std::filesystem::create_directory(spoor.folder.path + "/out");
    CHECK(spoor({"export", "--git", spoor.folder.path + "/out/", "other", "HEAD~3"}).status == 0);
    const std::string refs = bytes_of(spoor.folder.path + "/out/packed-refs");
    CHECK(refs.find("refs/heads/other\n") != std::string::npos);
    CHECK(refs.find("refs/heads/commit-") != std::string::npos);
    CHECK(refs.find("refs/heads/main\n") == std::string::npos);
  }

  TEST_CASE("bytes that are absent are told, there and here") {
    const test::TemporaryFolder folder;
    const auto repository = graph::Repository::in_memory();
    const Oid tip = repository->branch("main").user("a secret").value();
    const auto content = repository->reader().commit(tip).value()->content->oid;
    REQUIRE(repository->store().erase(std::array{content}));
    repository->drop_caches();
    const Request request{.path = folder.path + "/out", .refs = {{"refs/heads/main", tip}}};
    const auto step = [](std::uint64_t, std::uint64_t) { return Result<void>(); };
    const auto made = cli::git::export_repository(repository->reader(), request, step);
    REQUIRE_MESSAGE(made, made.error().message);
    CHECK(made->absent == 1);
    if (!has_git()) return;
    CHECK(run_git(folder.path + "/out", "show refs/heads/main:prompt/00/0001-user.md")
              .starts_with("(the bytes of " + content.hex()));
  }
}
