#include "llm/response_cache.h"

#include <string>
#include <utility>
#include <vector>

#include "compile/known_keys.h"
#include "llm/reply_codec.h"
#include "store/sha256.h"

namespace spoor::llm {
namespace {

// Each part is preceded by its length, so that different requests have different keys.
store::Oid key_of(const Profile& profile, const Request& request) {
  std::string head = "spoor reply\n";
  for (const std::string* part : {&profile.name, &profile.base_url, &request.model}) {
    head += std::to_string(part->size()) + ':' + *part;
  }
  head += name_of(profile.wire);
  head += '\n';
  return store::sha256(head, request.body);
}

Reply interrupted() {
  Reply reply;
  reply.failure.emplace();
  reply.failure->kind = Failure::Kind::interrupted;
  reply.failure->message = "stopped";
  return reply;
}

}  // namespace

ResponseCache::ResponseCache(std::unique_ptr<Provider> inner,
                             std::unique_ptr<store::CacheFile> file)
    : inner_(std::move(inner)), file_(std::move(file)) {}

Reply ResponseCache::complete(const Request& request, const OnEvent& on_event) {
  if (request.stop.stop_requested()) return interrupted();
  const store::Oid key = key_of(profile(), request);
  if (auto reply = kept(key, request, on_event)) return std::move(*reply);

  std::vector<KeptEvent> events;
  Reply reply = inner_->complete(request, [&](const ReplyEvent& event) {
    // Retries are not part of the reply.
    if (event.kind != ReplyEvent::Kind::waiting) {
      events.push_back({event.kind, std::string(event.text)});
    }
    if (on_event) on_event(event);
  });
  if (!reply.failure && !reply.from_cache) {
    std::string bytes = encode_reply({reply, std::move(events)});
    // A reply altered by the removal of a key is not the reply that was received.
    if (!compile::take_out_known_keys(bytes)) note(file_->put(key, bytes));
  }
  return reply;
}

// Returns the cached reply and reports its events; nullopt if there is no usable entry.
std::optional<Reply> ResponseCache::kept(const store::Oid& key, const Request& request,
                                         const OnEvent& on_event) {
  const auto bytes = file_->get(key);
  if (!bytes) {
    note(bytes.error());
    return std::nullopt;
  }
  if (!bytes.value()) return std::nullopt;
  auto decoded = decode_reply(*bytes.value());
  if (!decoded || decoded.value().reply.failure) {
    note(file_->drop(key));
    return std::nullopt;
  }
  if (on_event) {
    for (const KeptEvent& event : decoded.value().events) {
      if (request.stop.stop_requested()) return interrupted();
      on_event({event.kind, event.text});
    }
  }
  Reply reply = std::move(decoded.value().reply);
  reply.from_cache = true;
  return reply;
}

void ResponseCache::note(const Result<void>& done) {
  if (done) return;
  const std::scoped_lock lock(mutex_);
  problem_ = done.error();
}

std::optional<Error> ResponseCache::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

}  // namespace spoor::llm
