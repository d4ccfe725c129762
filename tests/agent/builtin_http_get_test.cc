#include <doctest/doctest.h>

#include "agent/builtin/web_address.h"
#include "builtin_stage.h"
#include "llm/http/recorded_transport.h"

namespace spoor::agent::builtin {

using llm::http::Exchange;
using llm::http::RecordedTransport;
using nlohmann::json;

TEST_SUITE("agent/builtin/http_get") {
  Exchange page(const std::string& url, const std::string& body, int status = 200) {
    return {"GET", url, status, {{"content-type", "text/HTML; charset=utf-8"}}, body, {}, {}};
  }

  Exchange redirect(const std::string& url, const std::string& location, int status = 302) {
    return {"GET", url, status, {{"location", location}}, "moved", {}, {}};
  }

  struct Web {
    explicit Web(std::vector<Exchange> exchanges) : transport(std::move(exchanges)) {
      stage.settings.transport = &transport;
      stage.settings.hosts = {"example.com", "*.example.org", "localhost:8080"};
    }

    ToolResult get(const std::string& url, const ToolContext& context = {}) {
      return stage.call("http_get", {{"url", url}}, context);
    }

    RecordedTransport transport;
    Stage stage;
  };

  TEST_CASE("a page is given as it came, with facts") {
    Web web({page("https://example.com/a?b=c", "<p>caf\xe9</p>")});
    const ToolResult result = web.get("HTTPS://Example.com:443/a?b=c#part");
    CHECK(result.text == "<p>caf\xe9</p>");
    CHECK_FALSE(result.is_error);
    CHECK(result.facts.json("status") == "200");
    CHECK(result.facts.text("media_type") == "text/html");
    CHECK(result.facts.text("url") == "https://example.com/a?b=c");
    CHECK(result.attach.empty());
    const auto sent = web.transport.sent();
    REQUIRE(sent.size() == 1);
    for (const auto& [name, value] : sent[0].headers) {
      CHECK((name == "accept" || name == "user-agent"));
    }
  }

  TEST_CASE("hosts that were not allowed are not asked") {
    Web web({});
    for (const char* url :
         {"https://example.net/", "https://sub.example.com/", "https://example.org/",
          "https://example.com:8443/", "http://localhost/", "https://evilexample.org/",
          "https://example.com.evil.net/", "http://[::1]:8080/", "https://example.com./"}) {
      CAPTURE(std::string(url));
      const ToolResult result = web.get(url);
      CHECK(result.is_error);
      CHECK(result.text.find("allowed") != std::string::npos);
    }
    for (const char* url :
         {"file:///etc/passwd", "ftp://example.com/", "example.com", "https://", "https:///x",
          "https://user@example.com/", "https://example.com\\@evil.net/", "https://exa mple.com/",
          "https://example.com:99999/", "https://example.com:x/", "https://ex%61mple.com/",
          "https://\xc3\xa9.example.org/", "gopher://example.com:70/"}) {
      CAPTURE(std::string(url));
      CHECK(web.get(url).is_error);
    }
    CHECK(web.transport.sent().empty());
  }

  TEST_CASE("hosts below a star, and ports that were named, are allowed") {
    Web web({page("https://a.b.example.org/", "1"), page("http://localhost:8080/", "2")});
    CHECK(web.get("https://a.b.example.org").text == "1");
    CHECK(web.get("http://localhost:8080/").text == "2");
  }

  TEST_CASE("a redirect on the same host is followed, one to another is told") {
    Web web({redirect("http://example.com/a", "/b?x"), redirect("http://example.com/b?x", "c", 308),
             redirect("http://example.com/c", "https://example.com/d", 301),
             page("https://example.com/d", "there"),
             redirect("https://example.com/e", "https://evil.net/x"),
             redirect("https://example.com/f", "http://example.com/f"),
             redirect("https://example.com/g", "//a.example.org/g"),
             redirect("https://example.com/h", "https://example.com:8443/h")});
    const ToolResult found = web.get("http://example.com/a");
    CHECK(found.text == "there");
    CHECK(found.facts.text("url") == "https://example.com/d");
    const ToolResult other = web.get("https://example.com/e");
    CHECK(other.is_error);
    CHECK(other.text.starts_with("'https://example.com/e' leads on to 'https://evil.net/x'"));
    CHECK(web.get("https://example.com/f").text.find("from https to http") != std::string::npos);
    CHECK(web.get("https://example.com/g").is_error);
    CHECK(web.get("https://example.com/h").is_error);
    CHECK(web.transport.sent().size() == 8);
  }

  TEST_CASE("a redirect without end has one") {
    Web web(std::vector<Exchange>(20, redirect("https://example.com/", "/")));
    CHECK(web.get("https://example.com/").text == "'https://example.com/' leads on and on");
    CHECK(web.transport.sent().size() == 6);
  }

  TEST_CASE("another status than 2xx is an error, with what was said") {
    Web web({page("https://example.com/", "no such page", 404)});
    const ToolResult result = web.get("https://example.com/");
    CHECK(result.is_error);
    CHECK(result.text == "HTTP status 404\nno such page");
    CHECK(result.facts.json("status") == "404");
  }

  TEST_CASE("a long page is cut and attached, a longer one is not read to its end") {
    Web web({page("https://example.com/", std::string(5000, 'x'))});
    web.stage.settings.output_cap = 1000;
    const ToolResult result = web.get("https://example.com/");
    CHECK(result.text == std::string(1000, 'x') + "\n[cut after 1,000 bytes of 5,000]");
    REQUIRE(result.attach.size() == 1);
    CHECK(result.attach[0] == compile::Item{std::string(5000, 'x'), "text/html"});

    Exchange endless = page("https://example.com/", std::string(50'000, 'y'));
    endless.chunks.assign(50, 1000);
    Web other({endless});
    other.stage.settings.output_cap = 1000;
    other.stage.settings.attach_cap = 2500;
    const ToolResult cut = other.get("https://example.com/");
    CHECK(cut.text.ends_with("\n[cut after 1,000 bytes of more than 2,500]"));
    CHECK(cut.attach.at(0).bytes.size() == 2500);
  }

  TEST_CASE("what is no text is attached and named") {
    Exchange image = page("https://example.com/", std::string("\x89PNG\0\0", 6));
    image.headers = {{"content-type", "image/png"}};
    Web web({image});
    const ToolResult result = web.get("https://example.com/");
    CHECK(result.text == "[6 bytes of image/png, which is no text]");
    CHECK(result.attach.at(0).media_type == "image/png");
  }

  TEST_CASE("a failure of the network is told in its own words") {
    Exchange broken = page("https://example.com/", "");
    broken.failure = llm::Failure{};
    broken.failure->kind = llm::Failure::Kind::network;
    broken.failure->message = "connection refused";
    Web web({broken});
    const ToolResult result = web.get("https://example.com/");
    CHECK(result.is_error);
    CHECK(result.text == "cannot fetch 'https://example.com/': connection refused");
    CHECK(result.facts.empty());
  }

  TEST_CASE("a stop keeps it from being sent") {
    Web web({});
    std::stop_source stop;
    stop.request_stop();
    CHECK(web.get("https://example.com/", {.stop = stop.get_token()}).text == "interrupted");
    CHECK(web.transport.sent().empty());
  }
}

}  // namespace spoor::agent::builtin
