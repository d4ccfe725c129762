#include "receive/answer.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "base/json/writer.h"
#include "base/text.h"
#include "proxy/content_coding.h"
#include "receive/protobuf.h"

namespace spoor::receive {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProtobuf = "application/x-protobuf";

// Members and fields of google.rpc.Status, and of the responses and their partial_success.
constexpr int kInvalidArgument = 3;
constexpr int kUnavailable = 14;

std::string media_type(std::string_view type) {
  return lowered(trimmed(type.substr(0, type.find(';'))));
}

bool is_protobuf(std::string_view type) { return media_type(type) == kProtobuf; }

std::optional<Signal> signal_of(std::string_view target) {
  constexpr std::array<std::pair<std::string_view, Signal>, 3> kPaths = {
      {{"/v1/traces", Signal::traces},
       {"/v1/logs", Signal::logs},
       {"/v1/metrics", Signal::metrics}}};
  const std::string_view path = target.substr(0, target.find('?'));
  for (const auto& [end, signal] : kPaths) {
    if (path.ends_with(end)) return signal;
  }
  return std::nullopt;
}

std::string_view rejected_name(Signal signal) {
  if (signal == Signal::traces) return "rejectedSpans";
  return signal == Signal::logs ? "rejectedLogRecords" : "rejectedDataPoints";
}

// Returns an Export…ServiceResponse. An empty one is a full success.
Answer accepted(Signal signal, bool in_protobuf, const RecordedPart& kept) {
  Answer answer{200, std::string(in_protobuf ? kProtobuf : kJson), {}};
  if (kept.rejected == 0) {
    if (!in_protobuf) answer.body = "{}";
    return answer;
  }
  if (!in_protobuf) {
    answer.body =
        fmt::format(R"({{"partialSuccess":{{"{}":"{}","errorMessage":{}}}}})",
                    rejected_name(signal), kept.rejected, json::write_string(kept.problem));
    return answer;
  }
  std::string partial;
  protozero::pbf_writer inner(partial);
  inner.add_int64(1, static_cast<std::int64_t>(kept.rejected));
  inner.add_string(2, kept.problem.data(), kept.problem.size());
  protozero::pbf_writer(answer.body).add_message(1, partial);
  return answer;
}

}  // namespace

Answer refusal(int status, std::string_view type, std::string_view message) {
  const int code = status >= 500 ? kUnavailable : kInvalidArgument;
  if (!is_protobuf(type)) {
    return {status, std::string(kJson),
            fmt::format(R"({{"code":{},"message":{}}})", code, json::write_string(message))};
  }
  Answer answer{status, std::string(kProtobuf), {}};
  protozero::pbf_writer writer(answer.body);
  writer.add_int32(1, code);
  writer.add_string(2, message.data(), message.size());
  return answer;
}

std::optional<Answer> refuse(const Post& post) {
  const auto no = [&](int status, std::string_view message) {
    return refusal(status, post.type, message);
  };
  if (!signal_of(post.target)) return no(404, "paths end in /v1/traces, /v1/logs or /v1/metrics");
  if (post.method != "POST") return no(405, "telemetry is sent with POST");
  const std::string type = media_type(post.type);
  if (type != kJson && type != kProtobuf) {
    return no(415, "the Content-Type is application/json or application/x-protobuf");
  }
  const std::string coding = lowered(trimmed(post.coding));
  if (!coding.empty() && coding != "identity" && coding != "gzip" && coding != "deflate" &&
      coding != "zstd") {
    return no(415, "the Content-Encoding is gzip, deflate, zstd or none");
  }
  return std::nullopt;
}

Answer answer(Post post, std::size_t most, const Put& put) {
  if (auto refused = refuse(post)) return *std::move(refused);
  const auto no = [&](int status, std::string_view message) {
    return refusal(status, post.type, message);
  };
  auto [state, body] = proxy::decode_body(post.coding, std::move(post.body), most);
  if (state == proxy::Decoded::State::too_long) return no(413, "the body is too long");
  if (state != proxy::Decoded::State::whole) return no(400, "the body is not in its encoding");
  const Signal signal = *signal_of(post.target);
  const bool in_protobuf = is_protobuf(post.type);
  if (in_protobuf) {
    auto translated = json_of_protobuf(signal, body);
    const bool is_much = !translated && translated.error().code == Error::Code::denied;
    if (!translated) return no(is_much ? 413 : 400, translated.error().message);
    body = std::move(translated.value());
  }
  auto kept = keep(signal, body);
  if (!kept) return no(400, kept.error().message);
  if (!kept.value().document.empty()) {
    const auto stored = put(signal, std::move(kept.value().document));
    if (!stored) return no(503, stored.error().message);
  }
  return accepted(signal, in_protobuf, kept.value());
}

}  // namespace spoor::receive
