#include "sync/server.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "store/ancestry.h"
#include "store/archive.h"
#include "store/lines.h"
#include "sync/journal.h"
#include "sync/negotiate.h"
#include "sync/ref_names.h"
#include "sync/remote_log.h"
#include "sync/requests.h"

namespace spoor::sync {
namespace {

constexpr std::size_t kMaxQuestions = 4'096;

std::string shown(const std::optional<Oid>& target) { return target ? target->hex(8) : "nowhere"; }

// Refuses a move that does not go forward, unless it is forced.
Result<void> check_forward(const store::Reader& reader, const PushRequest::Move& move) {
  if (move.is_forced || !move.before) return {};
  const Error refused = conflict(fmt::format("'{}' would not go forward from {} to {}", move.name,
                                             shown(move.before), shown(move.after)),
                                 "fetch and merge first: spoor pull");
  if (!move.after) return refused;
  const Oid before = TRY(reader.peel(*move.before));
  const Oid after = TRY(reader.peel(*move.after));
  const bool is_branch = before == *move.before && after == *move.after;
  if (is_branch && TRY(store::is_ancestor(reader, before, after))) return {};
  return refused;
}

}  // namespace

Result<void> Server::answer(const ByteSource& request, const ByteSink& sink) {
  LineInput body(request);
  has_begun_ = false;
  auto answered = [&]() -> Result<void> {
    const Message message = TRY(read_message(body));
    return answer_to(message, body, sink);
  }();
  if (answered || has_begun_) return answered;
  return write_message(sink, answer_of(answered.error()));
}

Result<void> Server::answer_to(const Message& request, LineInput& body, const ByteSink& sink) {
  if (request.word == "refs") return tell_refs(request.text, sink);
  if (request.word == "known") return tell_known(request.text, sink);
  if (request.word == "fetch") return send(request.text, sink);
  if (request.word == "begin") return begin_push(request.text, sink);
  if (request.word == "push") return take_push(request.text, body, sink);
  return invalid(fmt::format("no request is named '{}'", request.word.substr(0, 20)));
}

Result<void> Server::tell_refs(std::string_view text, const ByteSink& sink) const {
  const RefsRequest request = TRY(parse_refs(text));
  // The checkpoint first: it is not of operations after those that the refs are of.
  const LogNews log = TRY(log_news(store_, request.checkpoint));
  const RefNews news = TRY(refs_since(store_, request.since, request.pushed));
  std::string answer;
  if (!options_.head.empty()) store::append_line(answer, "head", options_.head);
  return write_message(sink, {"ok", answer + write_log_news(log) + write_news(news)});
}

Result<void> Server::tell_known(std::string_view text, const ByteSink& sink) const {
  const auto names = TRY(parse_names("name", text));
  if (names.size() > kMaxQuestions) return denied("too many names at once");
  const auto has = TRY(store_.has(names));
  std::vector<Oid> known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (has[i]) known.push_back(names[i]);
  }
  return write_message(sink, {"ok", write_names("name", known)});
}

Result<void> Server::send(std::string_view text, const ByteSink& sink) {
  const FetchRequest request = TRY(parse_fetch(text));
  const store::Reader reader(store_);
  for (const store::Ref& want : request.wants) {
    const auto now = is_shared(want.name) ? TRY(store_.ref(want.name)) : std::nullopt;
    if (now == want.target) continue;
    const bool was_there = now && TRY(goes_forward(reader, want.target, *now));
    if (!was_there) {
      return conflict(fmt::format("'{}' is not at {} any more", want.name, want.target.hex(8)),
                      "run the command again");
    }
  }
  store::ArchiveHead head{.haves = request.haves, .refs = request.wants};
  head.is_private = TRY(store_.property("private")).has_value();
  const auto begin = [&](bool goes_on) -> Result<void> {
    has_begun_ = true;
    return write_message(sink,
                         {"ok", goes_on ? write_names("from", {*request.from}) : std::string()});
  };
  TRY(send_archive(store_, head, request.from, begin, sink));
  return {};
}

Result<void> Server::begin_push(std::string_view text, const ByteSink& sink) {
  const PushRequest request = TRY(parse_push(text));
  if (!options_.may_write) return denied("this store takes no pushes", options_.why_not);
  for (const PushRequest::Move& move : request.moves) {
    const bool is_forced = move.is_forced || !move.after;
    if (!is_shared(move.name)) return denied(fmt::format("'{}' may not be pushed", move.name));
    for (const std::string_view folder : {kHeads, kTags}) {
      if (move.name.starts_with(folder) &&
          !move.name.substr(folder.size()).starts_with(options_.prefix)) {
        return denied(fmt::format("'{}' may not be pushed with this token", move.name),
                      fmt::format("names must begin with '{}'", options_.prefix));
      }
    }
    if (is_forced && !options_.may_force) {
      return denied(fmt::format("'{}' may only go forward", move.name));
    }
    const auto now = TRY(store_.ref(move.name));
    if (now == move.before || now == move.after) continue;
    return conflict(
        fmt::format("'{}' is at {}, not at {}", move.name, shown(now), shown(move.before)),
        "fetch and merge first: spoor pull");
  }
  std::vector<Oid> from;
  if (!request.refs().empty()) {
    Spool spool = TRY(Spool::open(options_.intake.file, transfer_name(request)));
    if (spool.chain()) from.push_back(*spool.chain());
    if (!spool.chain()) spool.discard();
  }
  return write_message(sink, {"ok", write_names("from", from)});
}

Result<void> Server::take_push(std::string_view text, LineInput& body, const ByteSink& sink) {
  const PushRequest request = TRY(parse_push(text));
  // The same questions as at the beginning, which a client may have left out.
  TRY(begin_push(text, [](std::string_view) { return Result<void>(); }));
  const std::vector<store::RefMove> moves(request.moves.begin(), request.moves.end());
  std::string answer;
  if (request.refs().empty()) {
    TRY(move_refs(store_, options_.intake, moves, "push", clock_.now()));
  } else {
    Spool spool = TRY(Spool::open(options_.intake.file, transfer_name(request)));
    TRY(spool.begin(body, request.from.has_value(), options_.intake.most_bytes));
    const auto choose = [&](const store::Store& with,
                            const store::ArchiveHead& head) -> Result<std::vector<store::RefMove>> {
      if (head.refs != request.refs())
        return invalid("the archive has other refs than the request");
      const store::Reader reader(with);
      for (const PushRequest::Move& move : request.moves) {
        TRY(check_forward(reader, move));
        const bool is_new = !move.before && move.after;
        const std::string objection = is_new ? TRY(name_objection(with, move.name)) : "";
        if (!objection.empty()) {
          return invalid(fmt::format("'{}' is not taken: {}", move.name, objection),
                         "give it another name");
        }
      }
      return moves;
    };
    const auto received =
        TRY(take_in(store_, options_.intake, spool, choose, "push", clock_.now()));
    if (received.left_out > 0) store::append_line(answer, "erased", received.left_out);
  }
  if (const auto newest = TRY(store_.newest_operation())) {
    store::append_line(answer, "operation",
                       store::chain_name(TRY(store::parse_operation(newest->body)), newest->name));
  }
  return write_message(sink, {"ok", answer});
}

}  // namespace spoor::sync
