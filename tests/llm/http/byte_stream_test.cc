// A connection for someone who speaks HTTP himself: against a real server, with and without TLS.
#include <doctest/doctest.h>
#include <poll.h>

#include <array>
#include <fstream>
#include <string>
#include <variant>

#include "llm/http/broken_pipes.h"
#include "llm/http/byte_stream.h"
#include "tests/llm/http/fake_provider.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace spoor::llm::http;
using testing::FakeProvider;

namespace {

constexpr std::chrono::milliseconds kPatience{5000};

using Made = std::variant<std::unique_ptr<ByteStream>, llm::Failure>;

// The first line of the answer to a GET.
std::string ask(ByteStream& stream) {
  std::string request = "GET /_requests HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  while (!request.empty()) {
    const auto moved = stream.send(request);
    REQUIRE_FALSE(moved.is_closed);
    request.erase(0, moved.bytes);
  }
  std::string answer;
  while (true) {
    std::array<char, 1000> buffer{};
    const auto moved = stream.receive(buffer);
    answer.append(buffer.data(), moved.bytes);
    if (moved.is_closed) return answer.substr(0, answer.find("\r\n"));
    pollfd file{stream.socket(), POLLIN, 0};
    if (moved.bytes == 0) REQUIRE(::poll(&file, 1, 5000) == 1);
  }
}

}  // namespace

TEST_SUITE("llm/http/byte_stream") {
  TEST_CASE("bytes go to a server and come back") {
    const BrokenPipesHeldBack held;
    const FakeProvider provider;
    const Made made = ByteStream::connect(provider.url(), kPatience);
    REQUIRE(made.index() == 0);
    CHECK(ask(*std::get<0>(made)) == "HTTP/1.1 200 OK");
  }

  TEST_CASE("over TLS too, if the certificate is one that is trusted") {
    const BrokenPipesHeldBack held;
    const FakeProvider provider(FakeProvider::Tls::self_signed);
    const Made refused = ByteStream::connect(provider.url(), kPatience);
    REQUIRE(refused.index() == 1);
    CHECK(std::get<1>(refused).message.find("certificate") != std::string::npos);

    const store::TempDir folder;
    std::ofstream(folder / "ca.pem") << provider.certificate();
    const Made made =
        ByteStream::connect(provider.url(), kPatience, {.ca_file = folder / "ca.pem"});
    REQUIRE(made.index() == 0);
    CHECK(ask(*std::get<0>(made)) == "HTTP/1.1 200 OK");
  }

  TEST_CASE("a server or a library that is not there is said") {
    std::string gone;
    {
      const FakeProvider provider;
      gone = provider.url();
    }
    const Made refused = ByteStream::connect(gone, kPatience);
    REQUIRE(refused.index() == 1);
    CHECK(std::get<1>(refused).kind == llm::Failure::Kind::network);
    const Made missing = ByteStream::connect(gone, kPatience, {.libraries = {"libnothing.so.1"}});
    REQUIRE(missing.index() == 1);
    CHECK(std::get<1>(missing).message.find("libcurl4") != std::string::npos);
  }
}
