#include "proxy/spooling_relay.h"

#include <atomic>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/os/process.h"
#include "proxy/credentials.h"

namespace spoor::proxy {
namespace {

class SpoolingRelay final : public Server {
 public:
  explicit SpoolingRelay(const Spool& spool) : spool_(spool) {
    boost::asio::post(writer_, [] { os::set_thread_nice(kRecordingNice); });
  }

  Result<void> open(int socket, std::vector<Route> routes, std::string agent,
                    llm::http::CurlOptions curl) {
    const auto drop = [this](std::string_view reason) { spool_.note_dropped(reason); };
    const auto keep = [this, drop](Exchange exchange, Credentials credentials) {
      constexpr std::size_t kMostWaiting = 256U << 20U;  // Bytes. One of any size may wait alone.
      constexpr std::size_t kWithoutBodies = 4096;
      const std::size_t size = exchange.request.size() + exchange.response.size() + kWithoutBodies;
      if (waiting_ > 0 && waiting_ + size > kMostWaiting) return drop("ingest_reject");
      waiting_ += size;
      boost::asio::post(writer_, [this, size, each = std::move(exchange),
                                  keys = std::move(credentials)]() mutable {
        known_.add(keys);
        take_out(known_, each);
        if (!spool_.put(each)) spool_.note_dropped("ingest_reject");
        waiting_ -= size;
      });
    };
    relay_ = TRY(Relay::make(socket, {.routes = std::move(routes),
                                      .agent = std::move(agent),
                                      .on_exchange = keep,
                                      .on_dropped = drop,
                                      .curl = std::move(curl)}));
    return {};
  }

  void run() override {
    relay_->run();
    writer_.join();
  }
  void stop() override { relay_->stop(); }
  void abandon() override { relay_->abandon(); }

 private:
  const Spool& spool_;
  Credentials known_;  // This agent has used them: an old key may be in a later request.
  std::atomic<std::size_t> waiting_ = 0;  // What the exchanges take that writer_ has not written.
  boost::asio::thread_pool writer_{1};
  std::unique_ptr<Relay> relay_;
};

}  // namespace

Result<std::unique_ptr<Server>> make_spooling_relay(int socket, std::vector<Route> routes,
                                                    std::string agent, const Spool& spool,
                                                    llm::http::CurlOptions curl) {
  auto relay = std::make_unique<SpoolingRelay>(spool);
  TRY(relay->open(socket, std::move(routes), std::move(agent), std::move(curl)));
  return std::unique_ptr<Server>(std::move(relay));
}

}  // namespace spoor::proxy
