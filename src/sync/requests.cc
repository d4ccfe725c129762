#include "sync/requests.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::sync {
namespace {

using store::append_line;
using store::LineReader;

Error bad_request() { return invalid("the request is malformed"); }

std::string hex_or_none(const std::optional<Oid>& oid) { return oid ? oid->hex() : "-"; }

// Splits a line into words; the first may be anything but a space.
template <std::size_t kCount>
std::optional<std::array<std::string_view, kCount>> words_of(std::string_view line) {
  std::array<std::string_view, kCount> words;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t end = line.find(' ');
    if ((end == std::string_view::npos) != (i + 1 == kCount)) return std::nullopt;
    words[i] = line.substr(0, end);
    if (end != std::string_view::npos) line.remove_prefix(end + 1);
  }
  return words;
}

bool is_ref(std::string_view name) {
  return name.starts_with("refs/") && store::ref_name_problem(name).empty();
}

// Reads the lines that both requests end with.
Result<void> read_end(LineReader& lines, std::vector<Oid>& haves, std::optional<Oid>& from) {
  while (const auto text = lines.take("have")) {
    const auto oid = Oid::from_hex(*text);
    if (!oid || (!haves.empty() && haves.back() >= *oid)) return bad_request();
    haves.push_back(*oid);
  }
  if (const auto text = lines.take("from")) {
    from = Oid::from_hex(*text);
    if (!from) return bad_request();
  }
  if (!lines.finished()) return bad_request();
  return {};
}

template <class Request>
void write_end(std::string& text, const Request& request) {
  for (const Oid& have : request.haves) append_line(text, "have", have);
  if (request.from) append_line(text, "from", *request.from);
}

template <class Named>
bool is_in_order(const std::vector<Named>& all) {
  return std::ranges::adjacent_find(all, [](const Named& one, const Named& other) {
           return one.name >= other.name;
         }) == all.end();
}

}  // namespace

std::string write(const RefsRequest& request) {
  std::string text;
  if (request.since) append_line(text, "since", *request.since);
  if (request.pushed) append_line(text, "pushed", *request.pushed);
  if (request.checkpoint > 0) append_line(text, "checkpoint", request.checkpoint);
  return text;
}

Result<RefsRequest> parse_refs(std::string_view text) {
  RefsRequest request;
  if (text.empty()) return request;
  LineReader lines(text);
  if (const auto since = lines.take("since")) {
    request.since = Oid::from_hex(*since);
    if (!request.since) return bad_request();
  }
  if (const auto pushed = lines.take("pushed")) {
    request.pushed = Oid::from_hex(*pushed);
    if (!request.pushed) return bad_request();
  }
  if (const auto size = lines.take("checkpoint")) {
    request.checkpoint = store::parse_integer(*size).value_or(0);
    if (request.checkpoint == 0) return bad_request();
  }
  if (!lines.finished()) return bad_request();
  return request;
}

std::string write(const FetchRequest& request) {
  std::string text;
  for (const store::Ref& want : request.wants) {
    append_line(text, "want", want.name + " " + want.target.hex());
  }
  write_end(text, request);
  return text;
}

Result<FetchRequest> parse_fetch(std::string_view text) {
  LineReader lines(text);
  FetchRequest request;
  while (const auto line = lines.take("want")) {
    const auto words = words_of<2>(*line);
    const auto target = words ? Oid::from_hex((*words)[1]) : std::nullopt;
    if (!target || !is_ref((*words)[0])) return bad_request();
    request.wants.push_back({std::string((*words)[0]), *target});
  }
  TRY(read_end(lines, request.haves, request.from));
  if (request.wants.empty() || !is_in_order(request.wants)) return bad_request();
  return request;
}

std::vector<store::Ref> PushRequest::refs() const {
  std::vector<store::Ref> refs;
  for (const Move& move : moves) {
    if (move.after) refs.push_back({move.name, *move.after});
  }
  return refs;
}

std::string write(const PushRequest& request) {
  std::string text;
  for (const PushRequest::Move& move : request.moves) {
    append_line(
        text, move.is_forced ? "force" : "move",
        fmt::format("{} {} {}", move.name, hex_or_none(move.before), hex_or_none(move.after)));
  }
  write_end(text, request);
  return text;
}

Result<PushRequest> parse_push(std::string_view text) {
  LineReader lines(text);
  PushRequest request;
  while (true) {
    auto line = lines.take("move");
    const bool is_forced = !line && (line = lines.take("force"));
    if (!line) break;
    const auto words = words_of<3>(*line);
    if (!words || !is_ref((*words)[0])) return bad_request();
    PushRequest::Move move{
        {std::string((*words)[0]), Oid::from_hex((*words)[1]), Oid::from_hex((*words)[2])},
        is_forced};
    if (hex_or_none(move.before) != (*words)[1] || hex_or_none(move.after) != (*words)[2] ||
        move.before == move.after) {
      return bad_request();
    }
    request.moves.push_back(std::move(move));
  }
  TRY(read_end(lines, request.haves, request.from));
  if (request.moves.empty() || !is_in_order(request.moves)) return bad_request();
  return request;
}

template <class Request>
Oid transfer_name(Request request) {
  request.from.reset();
  return store::sha256(write(request));
}
template Oid transfer_name(FetchRequest);
template Oid transfer_name(PushRequest);

std::string write_names(std::string_view key, const std::vector<Oid>& names) {
  std::string text;
  for (const Oid& name : names) append_line(text, key, name);
  return text;
}

Result<std::vector<Oid>> parse_names(std::string_view key, std::string_view text) {
  std::vector<Oid> names;
  if (text.empty()) return names;
  LineReader lines(text);
  while (const auto line = lines.take(key)) {
    const auto oid = Oid::from_hex(*line);
    if (!oid) return bad_request();
    names.push_back(*oid);
  }
  if (!lines.finished()) return bad_request();
  return names;
}

}  // namespace spoor::sync
