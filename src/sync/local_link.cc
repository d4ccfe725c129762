#include "sync/local_link.h"

namespace spoor::sync {

Result<std::unique_ptr<LocalLink>> LocalLink::open(AnswerRequest answer,
                                                   std::function<bool()> is_cancelled) {
  auto [ours, theirs] = TRY(socket_pair());
  std::unique_ptr<LocalLink> link(new LocalLink);
  link->link_ = std::make_unique<SocketLink>(std::move(ours), std::move(is_cancelled));
  link->thread_ = std::thread([socket = std::move(theirs), answer = std::move(answer)] {
    Streams streams(socket.number(), socket.number());
    // An error ends the stream, which the other end notices.
    static_cast<void>(answer_stream(streams, answer));
  });
  return link;
}

LocalLink::~LocalLink() {
  link_.reset();  // The thread then sees the end of its stream.
  if (thread_.joinable()) thread_.join();
}

}  // namespace spoor::sync
