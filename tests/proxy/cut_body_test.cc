// Where a request is cut: whatever the cuts, the bytes are the same; and the next request of a
// conversation adds only what is new.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/json/writer.h"
#include "proxy/cut_body.h"
#include "store/memory_store.h"
#include "store/reader.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::proxy;

namespace {

std::string words(std::mt19937& random, std::size_t size) {
  std::string text;
  while (text.size() < size) text += "word" + std::to_string(random() % 5000) + ' ';
  return text;
}

std::string message(std::mt19937& random, std::string_view role) {
  std::string content;
  for (std::size_t i = 1 + random() % 3; i > 0; --i) {
    const std::size_t size = random() % 4 == 0 ? 3000 : random() % 600;
    content += (content.empty() ? "" : ",") + std::string(R"({"type":"text","text":)") +
               json::write_string(words(random, size)) + "}";
  }
  return R"({"role":")" + std::string(role) + R"(","content":[)" + content + "]}";
}

// As an agent sends it: what does not change first, and then all messages so far.
std::string request(const std::string& constant, const std::vector<std::string>& messages) {
  std::string body = constant + R"("messages": [)";
  for (std::size_t i = 0; i < messages.size(); ++i) body += (i == 0 ? "" : ", ") + messages[i];
  return body + R"(], "max_tokens": 32000, "stream": true})";
}

std::string constant_part(std::mt19937& random) {
  std::string tools;
  for (int i = 0; i < 24; ++i) {
    tools += (i == 0 ? "" : ",") + std::string(R"({"name":"tool)") + std::to_string(i) +
             R"(","description":)" + json::write_string(words(random, 3300)) + "}";
  }
  return R"({"model":"a-model","system":[{"type":"text","text":)" +
         json::write_string(words(random, 27'000)) + R"(}],"tools":[)" + tools + "],";
}

std::string read(const store::Store& store, const store::Oid& oid) {
  return *store::Reader(store).content(oid).value();
}

}  // namespace

TEST_SUITE("proxy/cut_body") {
  TEST_CASE("a body is its pieces, and one that is not JSON is not cut") {
    std::mt19937 random(testing::seeded(3));
    store::MemoryStore store;
    for (int round = 0; round < testing::rounds(60); ++round) {
      std::vector<std::string> messages(random() % 60);
      for (std::string& each : messages) each = message(random, "user");
      std::string body = request(constant_part(random), messages);
      if (random() % 4 == 0) body.resize(random() % body.size());  // Cut off: no JSON.
      const auto objects = store::encode_rope(body, cut_body(body), store::Salter());
      REQUIRE(store.put(objects));
      CHECK(read(store, objects.back().oid) == body);
    }
    for (const char* text : {"", "{", "[]", "no JSON", "\"text\"", "{\"a\": [1, 2, 3]}"}) {
      CHECK(cut_body(text).empty());
    }
    CHECK(cut_body(std::string(5000, '[')).empty());
  }

  TEST_CASE("twenty requests of a conversation take less than a twentieth of their bytes") {
    std::mt19937 random(testing::seeded(4));
    std::set<store::Oid> known;
    std::uint64_t sent = 0;
    std::uint64_t kept = 0;
    const std::string constant = constant_part(random);
    for (int conversation = 0; conversation < 10; ++conversation) {
      std::vector<std::string> messages = {message(random, "user")};
      for (int call = 0; call < 20; ++call) {
        const std::string body = request(constant, messages);
        sent += body.size();
        for (const auto& each : store::encode_rope(body, cut_body(body), store::Salter())) {
          if (known.insert(each.oid).second) kept += each.body.size();
        }
        messages.push_back(message(random, "assistant"));
        messages.push_back(message(random, "user"));
      }
    }
    CAPTURE(sent);
    CAPTURE(kept);
    CHECK(kept * 20 < sent);
  }

  TEST_CASE("a message more adds itself and a few lists, however long the conversation") {
    std::mt19937 random(testing::seeded(5));
    std::vector<std::string> messages;
    for (int i = 0; i < 1600; ++i) messages.push_back(message(random, "user"));
    const std::string constant = constant_part(random);
    std::set<store::Oid> known;
    std::uint64_t added = 0;
    for (int call = 0; call < 2; ++call) {
      const std::string body = request(constant, messages);
      added = 0;
      for (const auto& each : store::encode_rope(body, cut_body(body), store::Salter())) {
        if (known.insert(each.oid).second) added += each.body.size();
      }
      messages.push_back(R"({"role":"user","content":"go on"})");
    }
    CAPTURE(added);
    CHECK(added < 20'000);  // Of 1.5 MB: the list of 100 runs, and the last run.
  }
}
