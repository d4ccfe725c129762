// What the bodies that Claude Code writes add to the turns of its session file.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "import/importer.h"
#include "import/source.h"
#include "llm/sent_prompt.h"
#include "proxy/raw_bodies.h"
#include "proxy/recorder.h"
#include "proxy/sent_turns.h"

using namespace spoor;
using namespace spoor::proxy;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSession = "0badc0de-1111-4222-8333-444455556666";

std::string session_record(int number, const std::string& type, const std::string& message) {
  const std::string uuid = "00000000-0000-4000-8000-00000000000" + std::to_string(number);
  const std::string parent =
      number == 1 ? "null"
                  : "\"00000000-0000-4000-8000-00000000000" + std::to_string(number - 1) + "\"";
  return R"({"parentUuid":)" + parent +
         R"(,"isSidechain":false,"userType":"external","cwd":"/w",)" + R"("sessionId":")" +
         std::string(kSession) + R"(","version":"2.1.197","type":")" + type + R"(","message":)" +
         message + R"(,"uuid":")" + uuid + R"(","timestamp":"2026-11-26T10:00:0)" +
         std::to_string(number) + ".000Z\"}\n";
}

const std::string kListCall =
    R"({"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}})";
const std::string kListed =
    R"({"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"a"}]})";

std::string reply(const std::string& id, const std::string& block) {
  return R"({"id":")" + id +
         R"(","type":"message","role":"assistant","model":"claude-opus-4-8","content":[)" + block +
         R"(],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}})";
}

const std::string kDone = R"({"type":"text","text":"One file."})";

std::string session_file() {
  return session_record(1, "user", R"({"role":"user","content":"What is here?"})") +
         session_record(2, "assistant", reply("msg_1", kListCall)) +
         session_record(3, "user", kListed) + session_record(4, "assistant", reply("msg_2", kDone));
}

class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // `second`: of the minute in which it was written.
  void put(const std::string& name, const std::string& text, int second) {
    const std::string path = (path_ / name).string();
    std::ofstream(path) << text;
    const timespec time{1'795'687'200 + second, 500'000'000};
    const timespec both[2] = {time, time};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
    files_.push_back(path);
  }

  void put_request(const std::string& name, const std::string& messages, int second,
                   std::string_view session = kSession) {
    put(name + ".request.json",
        R"({"model":"claude-opus-4-8","messages":[)" + messages +
            R"(],"system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"Bash"}],)" +
            R"("betas":["x"],"metadata":{"user_id":"{\"session_id\":\")" + std::string(session) +
            R"(\"}"}})",
        second);
  }

  const std::vector<std::string>& files() const { return files_; }

 private:
  const fs::path path_ = fs::temp_directory_path() / ("spoor-bodies-" + std::to_string(::getpid()));
  std::vector<std::string> files_;
};

const std::string kFirst =
    R"({"role":"user","content":[{"type":"text","text":"<system-reminder>Now.</system-reminder>"},)"
    R"({"type":"text","text":"What is here?"}]})";
const std::string kSecond =
    kFirst + R"(,{"role":"assistant","content":[)" + kListCall + "]}," + kListed;

// The two requests of the session, one for a title, and one of another session.
void put_all(Folder& folder) {
  folder.put_request("b", kFirst, 1);
  folder.put_request("t", R"({"role":"user","content":"A title for: What is here?!"})", 1);
  folder.put("req_1.response.json", reply("msg_1", kListCall), 2);
  folder.put_request("a", kSecond, 3);
  folder.put("req_2.response.json", reply("msg_2", kDone), 4);
  folder.put("req_9.response.json", reply("msg_9", kDone), 4);
  folder.put_request("o", kFirst, 5, "ffffffff-1111-4222-8333-444455556666");
}

Result<RawBodies> record_all(graph::Repository& repository, const Folder& folder) {
  const auto import = [&](const import::KnownAgent& agent,
                          Timestamp) -> Result<std::vector<std::string>> {
    CHECK(agent.name == "claude-code");
    const std::string text = session_file();
    import::TextSource source("session", text);
    TRY(import::import_source(source, repository, {}));
    return std::vector<std::string>();
  };
  return record_raw_bodies(repository, import, folder.files());
}

std::vector<compile::Oid> line_of(const graph::Repository& repository) {
  std::vector<compile::Oid> commits;
  const auto tip = repository.store().ref("refs/heads/claude-code/0badc0de").value().value();
  REQUIRE(repository.reader().run(tip, 100, [&](const store::NamedCommit& named) {
    commits.insert(commits.begin(), named.oid);
    return true;
  }));
  return commits;
}

}  // namespace

TEST_SUITE("proxy/raw_bodies") {
  TEST_CASE("requests are found from their answers, once, and the others are beside them") {
    Folder folder;
    put_all(folder);
    const auto repository = graph::Repository::in_memory();
    const RawBodies bodies = record_all(*repository, folder).value();
    CHECK(bodies.requests == 3);
    CHECK(bodies.known == 0);
    REQUIRE(bodies.unplaced.size() == 1);
    CHECK(bodies.unplaced[0].ends_with("o.request.json"));

    const auto line = line_of(*repository);
    REQUIRE(line.size() == 4);
    const auto first = llm::sent_prompt(*repository, line[1]).value();
    CHECK(first.verdict == llm::SentPrompt::Verdict::copied);
    CHECK(first.body.find("A title") == std::string::npos);
    CHECK(first.body.find("tool_result") == std::string::npos);
    CHECK(llm::sent_prompt(*repository, line[3]).value().body.find("tool_result") !=
          std::string::npos);
    const auto listed = llm::captured_requests(*repository, line[3]).value();
    REQUIRE(listed.size() == 3);
    CHECK(std::count_if(listed.begin(), listed.end(),
                        [](const auto& each) { return each.answer.has_value(); }) == 2);
    CHECK(repository->store().refs("refs/heads/").value().size() == 1);

    const auto sent = sent_turns(*repository, line[2]).value();
    REQUIRE(sent);
    const auto prompt = sent->repository->compile(sent->tip).value();
    CHECK(prompt.messages[0].text() == "Be brief.");
    CHECK(prompt.messages[1].text() == "<system-reminder>Now.</system-reminder>What is here?");
    CHECK_FALSE(listed[0].is_exact);

    const RawBodies again = record_all(*repository, folder).value();
    CHECK(again.requests == 0);
    CHECK(again.known == 3);
  }

  TEST_CASE("what the proxy has is not recorded again, and comes first") {
    Folder folder;
    put_all(folder);
    const auto repository = graph::Repository::in_memory();
    bool is_proxy_first = false;
    SUBCASE("the proxy was first") { is_proxy_first = true; }
    SUBCASE("the copies were first") {}
    const auto pass = [&] {
      Exchange exchange{.agent = "claude-code",
                        .method = "POST",
                        .target = "/v1/messages",
                        .request_headers = {{"x-claude-code-session-id", std::string(kSession)}},
                        .status = 200,
                        .response_headers = {{"content-type", "application/json"}},
                        .begun = {1'795'687'201'600'000}};
      exchange.request = R"({"model":"m","messages":[)" + kFirst + "]}";
      exchange.response = reply("msg_1", kListCall);
      const auto import = [](const import::KnownAgent&, Timestamp) {
        return Result<std::vector<std::string>>(
            std::vector<std::string>{"refs/heads/claude-code/0badc0de"});
      };
      CHECK(Recorder(*repository, import).record(exchange).value().answer);
    };
    const std::string text = session_file();
    import::TextSource source("session", text);
    REQUIRE(import::import_source(source, *repository, {}));
    if (is_proxy_first) pass();
    const RawBodies bodies = record_all(*repository, folder).value();
    CHECK(bodies.requests == (is_proxy_first ? 2 : 3));
    CHECK(bodies.known == (is_proxy_first ? 1 : 0));
    if (!is_proxy_first) pass();
    const auto sent = llm::sent_prompt(*repository, line_of(*repository)[1]).value();
    CHECK(sent.verdict == llm::SentPrompt::Verdict::verified);
  }

  TEST_CASE("other files are no raw bodies") {
    Folder folder;
    put_all(folder);
    for (const std::string& file : folder.files()) CHECK(is_raw_body(file));
    folder.put("x.request.json", R"({"messages":[]})", 1);
    folder.put("req_3.json", reply("msg_1", kListCall), 1);
    CHECK_FALSE(is_raw_body(folder.files()[folder.files().size() - 1]));
    CHECK_FALSE(is_raw_body(folder.files()[folder.files().size() - 2]));
  }
}
