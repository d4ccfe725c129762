// Any bytes as the head of a response and, behind an empty line, as the body of a list of models,
// of a count of tokens and of a call whose tokens are to be counted. What is read keeps its
// promises.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "base/percent.h"
#include "llm/counting.h"
#include "llm/endpoint.h"
#include "llm/http/head_reader.h"
#include "llm/http/response_facts.h"
#include "llm/model_list.h"

using namespace spoor;
using llm::Wire;
using llm::http::HeadReader;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

/// Feeds lines until the head is over; what is left is the body.
std::string_view read_head(HeadReader& reader, std::string_view rest) {
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
    rest.remove_prefix(line.size());
    if (reader.feed(line) != HeadReader::State::reading) break;
  }
  return rest;
}

void check_facts(const llm::http::Head& head) {
  const spoor::Timestamp now{1'800'000'000'000'000};
  llm::Failure failure;
  llm::http::add_facts(failure, head, now);
  require(!failure.retry_after || failure.retry_after->count() >= 0);
  require(std::ranges::all_of(failure.message, [](char c) { return c >= ' ' && c < '\x7f'; }));
}

void check_body(Wire wire, std::string_view body) {
  if (const auto page = llm::read_model_page(wire, body)) {
    for (const std::string& name : page.value().names) {
      for (const char c : percent_encoded(name)) require(c > ' ' && c < '\x7f' && c != '/');
    }
  }
  if (const auto asked = llm::counting_body(wire, "m", body)) {
    require(spoor::json::parse(asked.value()).has_value());
  }
  static_cast<void>(llm::read_count(body).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HeadReader reader;
  const std::string_view body = read_head(reader, text);
  check_facts(reader.head());
  for (const Wire wire : {Wire::openai_chat, Wire::anthropic, Wire::gemini, Wire::ollama}) {
    check_body(wire, body);
  }
  return 0;
}
