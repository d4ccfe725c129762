#include "proxy/socket_exchanges.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/reader.h"
#include "base/words.h"

namespace spoor::proxy {
namespace {

constexpr std::array<std::string_view, 5> kEnds = {
    "response.completed", "response.failed", "response.incomplete", "response.cancelled", "error"};

struct Head {
  std::string type;
  std::string stream;
};

Head head_of(const std::string& text) {
  const auto document = json::parse(text);
  if (!document) return {};
  const json::Value root = document->root();
  return {root.find("type").text(), root.find("stream_id").text()};
}

}  // namespace

SocketExchanges::SocketExchanges(std::size_t most, OnPart on_part)
    : most_(most),
      on_part_(std::move(on_part)),
      client_(most,
              [this](std::string text, bool is_whole) { take_client(std::move(text), is_whole); }),
      server_(most,
              [this](std::string text, bool is_whole) { take_server(std::move(text), is_whole); }) {
}

bool SocketExchanges::read_client(std::string_view bytes, std::int64_t now) {
  now_ = now;
  return client_.read(bytes);
}

bool SocketExchanges::read_server(std::string_view bytes, std::int64_t now) {
  now_ = now;
  return server_.read(bytes);
}

void SocketExchanges::close(Ending ending, std::int64_t now) {
  now_ = now;
  while (!open_.empty()) give(open_.begin()->first, ending);
}

void SocketExchanges::take_client(std::string text, bool is_whole) {
  if (!is_whole) return on_part_({.begun = now_, .end = now_, .is_whole = false});
  const Head head = head_of(text);
  if (head.type != "response.create") return;
  Part part{.request = std::move(text), .response = {}, .begun = now_};
  // One whose end was not seen.
  if (open_.contains(head.stream)) give(head.stream, Ending::upstream_cut);
  open_.emplace(head.stream, std::move(part));
}

void SocketExchanges::take_server(std::string text, bool is_whole) {
  const Head head = head_of(text);
  const auto found = open_.find(head.stream);
  if (found == open_.end()) return;
  Part& part = found->second;
  if (part.first_byte == 0) part.first_byte = now_;
  part.is_whole = part.is_whole && is_whole && text.size() < most_ - part.response.size();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (part.is_whole) part.response.append(text).append("\n");
  if (is_in(kEnds, std::string_view(head.type))) give(head.stream, Ending::complete);
}

void SocketExchanges::give(const std::string& stream, Ending ending) {
  auto node = open_.extract(stream);
  node.mapped().end = now_;
  node.mapped().ending = ending;
  on_part_(std::move(node.mapped()));
}

}  // namespace spoor::proxy
