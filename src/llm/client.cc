#include "llm/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "llm/counting.h"
#include "llm/endpoint.h"
#include "llm/http/response_facts.h"
#include "llm/model_list.h"
#include "llm/models/served_model.h"
#include "llm/wire/reply_parser.h"

namespace spoor::llm {
namespace {

using http::Head;

constexpr std::size_t kMaxError = 64U << 10U;        // Error bodies: the limit of Failure::raw.
constexpr std::size_t kMaxSmallAnswer = 16U << 20U;  // For lists and counts.
constexpr int kMaxPages = 100;

bool is_success(int status) { return status >= 200 && status < 300; }

/// True for a compressed body, which was not requested. It is not decoded: a small answer could
/// expand and fill the memory.
bool is_encoded(const Head& head) {
  const std::string_view encoding = head.find("content-encoding");
  return !encoding.empty() && encoding != "identity";
}

/// Appends at most as many bytes as fit into `limit`. Returns false if `out` is full.
bool append_within(std::string& out, std::string_view bytes, std::size_t limit) {
  out += bytes.substr(0, limit - out.size());
  return out.size() < limit;
}

/// True if the parser only reported that the bytes ended early. The transport's failure then gives
/// the reason.
bool is_early_end(const Failure& failure) {
  return failure.status == 0 &&
         (failure.kind == Failure::Kind::network || failure.kind == Failure::Kind::malformed);
}

}  // namespace

HttpProvider::HttpProvider(Profile profile, Key key, http::Transport& transport, const Clock& clock)
    : profile_(std::move(profile)), key_(std::move(key)), transport_(transport), clock_(clock) {}

http::Request HttpProvider::begin(std::string method, std::string url) const {
  return {.method = std::move(method),
          .url = std::move(url),
          .headers = request_headers(profile_, key_)};
}

std::optional<Failure> HttpProvider::missing_key() const {
  if (!profile_.needs_key || !key_.empty()) return std::nullopt;
  return Failure{.kind = Failure::Kind::unauthorized,
                 .message = fmt::format("there is no key for '{}'", profile_.name)};
}

void HttpProvider::finish(Failure& failure, const Head& head) const {
  http::add_facts(failure, head, clock_.now());
  failure.type = without_key(std::move(failure.type), key_);
  failure.message = without_key(std::move(failure.message), key_);
  failure.raw = without_key(std::move(failure.raw), key_);
}

/// Returns the failure of a response without a success status.
Failure HttpProvider::refusal(const Head& head, std::string_view body) const {
  Failure failure;
  if (head.status < 400) {
    const std::string_view target = head.find("location");
    failure = {.kind = Failure::Kind::invalid_request,
               .status = head.status,
               .message = fmt::format("the address answers {}{}{}; it is not followed, for the key "
                                      "would go there",
                                      head.status, target.empty() ? "" : " and points to ", target),
               .should_retry = false};
  } else {
    failure = wire::read_failure(head.status, body);
  }
  finish(failure, head);
  return failure;
}

Reply HttpProvider::complete(const Request& request, const OnEvent& on_event) {
  Reply reply;
  if ((reply.failure = missing_key())) return reply;

  http::Request call = begin("POST", completion_url(profile_, request.model, request.stream));
  call.body = request.body;
  call.stop = request.stop;
  call.idle_timeout = request.idle_timeout;

  if ((reply.failure = held_back(request))) return reply;
  const auto parser = wire::make_reply_parser(profile_.wire);
  Head head;
  std::string refused;
  std::string taken;  // The body. An unreadable reply was paid for too.
  bool has_given_up = false;
  const http::Sink sink{
      .on_head = [&](const Head& received) { head = received; },
      .on_bytes =
          [&](std::string_view bytes) {
            if (!is_success(head.status)) return append_within(refused, bytes, kMaxError);
            taken += bytes.substr(0, wire::kMaxReply - taken.size());
            has_given_up = has_given_up || is_encoded(head) || !parser->feed(bytes, on_event);
            return !has_given_up || taken.size() < wire::kMaxReply;
          },
  };
  std::optional<Failure> broken = transport_.send(call, sink);

  if (head.status != 0 && !is_success(head.status)) {
    const bool is_ours = broken && broken->kind == Failure::Kind::interrupted;
    reply.failure = is_ours ? *broken : refusal(head, refused);
    return reply;
  }
  if (head.status != 0 && is_encoded(head)) {
    broken = Failure{.kind = Failure::Kind::malformed,
                     .message = "the answer is compressed, which was not asked for"};
  }
  if (head.status != 0) reply = parser->finish(on_event);
  reply.received = without_key(std::move(taken), key_);
  // A reply that contained its end is complete, regardless of how the connection ended.
  const bool is_whole = head.status != 0 && !reply.failure;
  if (broken && !is_whole && (!reply.failure || is_early_end(*reply.failure))) {
    reply.failure = std::move(broken);
  }
  if (reply.failure) finish(*reply.failure, head);
  return reply;
}

Result<std::string> HttpProvider::fetch(const http::Request& request) {
  if (const auto missing = missing_key()) return to_error(*missing);

  Head head;
  std::string body;
  const http::Sink sink{
      .on_head = [&](const Head& received) { head = received; },
      .on_bytes =
          [&](std::string_view bytes) {
            return append_within(body, bytes,
                                 is_success(head.status) ? kMaxSmallAnswer : kMaxError);
          },
  };
  std::optional<Failure> broken = transport_.send(request, sink);
  if (head.status != 0 && !is_success(head.status)) return to_error(refusal(head, body));
  if (broken) {
    finish(*broken, head);
    return to_error(*broken);
  }
  if (is_encoded(head) || body.size() >= kMaxSmallAnswer) {
    return unavailable("the provider's answer is too long, or compressed");
  }
  return body;
}

TokenCounting* HttpProvider::token_counting() {
  return counting_url(profile_, "").empty() ? nullptr : this;
}

Result<std::uint64_t> HttpProvider::count(const Request& request) {
  const std::string body = TRY(counting_body(profile_.wire, request.model, request.body));
  http::Request call = begin("POST", counting_url(profile_, request.model));
  call.body = body;
  call.stop = request.stop;
  call.idle_timeout = request.idle_timeout;
  const std::string answer = TRY(fetch(call));
  return read_count(answer);
}

Result<std::vector<std::string>> HttpProvider::models(std::stop_token stop) {
  std::set<std::string> names;
  std::string page;
  for (int number = 0; number < kMaxPages; ++number) {
    http::Request call = begin("GET", models_url(profile_, page));
    call.stop = stop;
    const std::string body = TRY(fetch(call));
    ModelPage read = TRY(read_model_page(profile_.wire, body));
    names.insert(read.names.begin(), read.names.end());
    if (read.next.empty() || read.next == page) break;
    page = std::move(read.next);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<ServedModel> HttpProvider::describe(const std::string& model, std::stop_token stop) {
  constexpr std::chrono::seconds kPatience{5};
  const ModelQuestion question = describing(profile_, model);
  http::Request call = begin(question.body.empty() ? "GET" : "POST", question.url);
  call.body = question.body;
  call.stop = std::move(stop);
  call.connect_timeout = kPatience;
  call.idle_timeout = kPatience;
  return read_served_model(profile_.wire, model, TRY(fetch(call)));
}

}  // namespace spoor::llm
