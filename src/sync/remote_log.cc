#include "sync/remote_log.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "proof/note.h"

namespace spoor::sync {
namespace {

using proof::Checkpoint;

Result<Checkpoint> checkpoint_in(const std::string& bytes) {
  return proof::parse_checkpoint(TRY(proof::parse_note(bytes)).text);
}

}  // namespace

Result<LogNews> log_news(const store::Store& store, std::uint64_t size) {
  const auto kept = TRY(store.property(proof::kKeptCheckpoint));
  if (!kept) return LogNews();
  LogNews news{.checkpoint = *kept};
  const std::uint64_t now = TRY(checkpoint_in(*kept)).size;
  if (size == 0 || size >= now) return news;
  const proof::LogTree log = TRY(proof::read_log_tree(store));
  if (log.size() >= now) news.consistency = log.tree.consistency(size, now);
  return news;
}

std::string write_log_news(const LogNews& news) {
  std::string text;
  if (news.checkpoint.empty()) return text;
  store::append_line(text, "checkpoint", encode_base64(news.checkpoint));
  for (const proof::Hash& hash : news.consistency) store::append_line(text, "consistent", hash);
  return text;
}

Result<LogNews> take_log_news(store::LineReader& lines) {
  LogNews news;
  if (const auto note = lines.take("checkpoint")) {
    const auto bytes = decode_base64(*note);
    constexpr std::size_t kMost = 64U << 10U;
    if (!bytes || bytes->size() > kMost || !checkpoint_in(*bytes)) {
      return invalid("the checkpoint of the other store is malformed");
    }
    news.checkpoint = *bytes;
  }
  while (const auto hex = lines.take("consistent")) {
    const auto hash = proof::Hash::from_hex(*hex);
    if (!hash) return invalid("the checkpoint of the other store is malformed");
    news.consistency.push_back(*hash);
  }
  return news;
}

std::uint64_t remembered_size(const KnownRemote& remote) {
  const auto checkpoint = checkpoint_in(remote.seen.checkpoint);
  return checkpoint ? checkpoint->size : 0;
}

std::string signature_problem(const KnownRemote& remote, const LogNews& news) {
  if (remote.key.empty()) return {};
  const auto key = proof::parse_verifier_key(remote.key);
  const auto note = proof::parse_note(news.checkpoint);
  if (key && note && proof::signature_by(*note, *key)) return {};
  return news.checkpoint.empty() ? "it shows no checkpoint, and its key is known"
                                 : "its checkpoint is not signed with the key that is known";
}

std::string contradiction(const KnownRemote& remote, const LogNews& news) {
  const auto before = checkpoint_in(remote.seen.checkpoint);
  if (news.checkpoint.empty()) {
    if (before) return "it has no checkpoint any more";
    return {};
  }
  const auto now = checkpoint_in(news.checkpoint);
  if (!now) return "its checkpoint is malformed";
  if (!before) return {};
  if (now->origin != before->origin) {
    return fmt::format("its log is '{}', and was '{}'", now->origin, before->origin);
  }
  if (now->size < before->size) {
    return fmt::format("its checkpoint has {} operations, and had {}", now->size, before->size);
  }
  if (proof::is_consistent(before->size, before->root, now->size, now->root, news.consistency)) {
    return {};
  }
  return fmt::format("its log of {} operations does not begin with the {} that it had", now->size,
                     before->size);
}

}  // namespace spoor::sync
