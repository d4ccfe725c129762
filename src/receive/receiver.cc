#include "receive/receiver.h"

#include <list>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "proxy/loopback.h"

namespace spoor::receive {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t kMostHead = 64U << 10U;
constexpr std::size_t kMostConnections = 512;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

class Receiver::Impl {
 public:
  Impl(int socket, ReceiverOptions options) : options_(std::move(options)), acceptor_(io_) {
    acceptor_.assign(tcp::v4(), socket);
  }

  void run() {
    asio::co_spawn(io_, accept(), asio::detached);
    io_.run();
    worker_.join();
  }

  void stop() {
    asio::post(io_, [this] {
      is_stopping_ = true;
      error_code ignored;
      acceptor_.close(ignored);
      for (beast::tcp_stream* idle : idle_) idle->close();
    });
  }

  void abandon() { io_.stop(); }

 private:
  using Parser = http::request_parser<http::string_body>;

  // A client's connection.
  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) {}
    beast::tcp_stream stream;
    beast::flat_buffer buffer;
  };

  // A request's part of the bytes that all may take.
  class Share {
   public:
    Share(std::size_t& sum, std::size_t most) : sum_(sum), most_(most) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { sum_ -= size_; }

    bool grow_to(std::size_t size) {
      if (size <= size_) return true;
      if (size - size_ > most_ - sum_) return false;
      sum_ += size - size_;
      size_ = size;
      return true;
    }

   private:
    std::size_t& sum_;
    const std::size_t most_;
    std::size_t size_ = 0;
  };

  awaitable<void> accept() {
    while (true) {
      error_code error;
      tcp::socket client = co_await acceptor_.async_accept(redirect_error(use_awaitable, error));
      if (is_stopping_) co_return;
      if (!error && connections_ == kMostConnections && !idle_.empty()) {
        idle_.front()->close();
        idle_.pop_front();
      } else if (error || connections_ == kMostConnections) {  // Some may end soon.
        asio::steady_timer pause(io_, std::chrono::milliseconds(50));
        co_await pause.async_wait(redirect_error(use_awaitable, error));
        continue;
      }
      asio::co_spawn(io_, serve(std::move(client)), asio::detached);
    }
  }

  awaitable<void> serve(tcp::socket socket) {
    ++connections_;
    Connection client(std::move(socket));
    error_code ignored;
    client.stream.socket().set_option(tcp::no_delay(true), ignored);
    while (!is_stopping_ && co_await serve_one(client)) {
    }
    co_await linger(client);
    --connections_;
  }

  // Answers one request. False if the connection ends with it.
  awaitable<bool> serve_one(Connection& client) {
    if (client.buffer.size() == 0 && !co_await wait_for_request(client)) co_return false;
    Parser parser;
    parser.header_limit(kMostHead);
    parser.body_limit(options_.most_body);
    error_code error;
    client.stream.expires_after(options_.patience);
    co_await http::async_read_header(client.stream, client.buffer, parser,
                                     redirect_error(use_awaitable, error));
    const auto& request = parser.get();
    const std::string type(view_of(request["Content-Type"]));
    const auto end_with = [&](int status, std::string_view message) {
      return send(client, refusal(status, type, message), false);
    };
    if (error == http::error::body_limit) co_return co_await end_with(413, "the body is too long");
    if (error == http::error::end_of_stream || error == beast::error::timeout) co_return false;
    if (error) co_return co_await end_with(400, "this is not HTTP/1.1");
    if (!proxy::may_ask(view_of(request[http::field::host]),
                        view_of(request[http::field::origin]))) {
      co_return co_await end_with(403, "only programs on this machine may ask");
    }
    Post post{view_of(request.method_string()),
              view_of(request.target()),
              type,
              view_of(request[http::field::content_encoding]),
              {}};
    if (const auto refused = refuse(post)) co_return co_await send(client, *refused, false);

    constexpr std::string_view kTooMuch = "too much is being sent at once";
    Share share(bodies_, options_.most_bodies);
    const auto announced = parser.content_length();
    if (!share.grow_to(announced ? *announced : 0)) co_return co_await end_with(503, kTooMuch);
    client.stream.expires_after(options_.patience);
    if (beast::iequals(request[http::field::expect], "100-continue")) {
      constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
      co_await asio::async_write(client.stream, asio::buffer(kGoOn),
                                 redirect_error(use_awaitable, error));
    }
    while (!error && !parser.is_done()) {
      co_await http::async_read_some(client.stream, client.buffer, parser,
                                     redirect_error(use_awaitable, error));
      if (!share.grow_to(parser.get().body().size())) co_return co_await end_with(503, kTooMuch);
    }
    if (error == http::error::body_limit) co_return co_await end_with(413, "the body is too long");
    if (error == http::error::partial_message || error == beast::error::timeout) co_return false;
    if (error) co_return co_await end_with(400, "this is not HTTP/1.1");
    const bool goes_on = parser.keep_alive();
    post.body = std::move(parser.get().body());
    const Answer made = co_await asio::co_spawn(worker_, work(std::move(post)), use_awaitable);
    co_return co_await send(client, made, goes_on);
  }

  awaitable<Answer> work(Post post) const {
    co_return answer(std::move(post), options_.most_body, options_.put);
  }

  awaitable<bool> wait_for_request(Connection& client) {
    constexpr std::size_t kRead = 64U << 10U;
    error_code error;
    idle_.push_back(&client.stream);
    client.stream.expires_after(options_.idle);
    const std::size_t size = co_await client.stream.async_read_some(
        client.buffer.prepare(kRead), redirect_error(use_awaitable, error));
    idle_.remove(&client.stream);
    client.buffer.commit(size);
    co_return !error && size > 0;
  }

  awaitable<bool> send(Connection& client, Answer answer, bool goes_on) {
    goes_on = goes_on && !is_stopping_;
    http::response<http::string_body> response;
    response.version(11);
    response.result(static_cast<unsigned>(answer.status));
    response.set("Content-Type", answer.type);
    if (answer.status == 405) response.set(http::field::allow, "POST");
    if (answer.status == 503) response.set(http::field::retry_after, "1");
    response.body() = std::move(answer.body);
    response.keep_alive(goes_on);
    response.prepare_payload();
    error_code error;
    client.stream.expires_after(options_.patience);
    co_await http::async_write(client.stream, response, redirect_error(use_awaitable, error));
    co_return goes_on && !error;
  }

  // Ends the connection. The rest of a request is read first: a client loses the answer that is on
  // its way if what it sends meets a closed connection (RFC 9112, 9.6).
  awaitable<void> linger(Connection& client) {
    constexpr std::chrono::seconds kTime{2};
    error_code error;
    client.stream.socket().shutdown(tcp::socket::shutdown_send, error);
    client.stream.expires_after(kTime);
    while (!error && !is_stopping_) {
      client.buffer.clear();
      co_await client.stream.async_read_some(client.buffer.prepare(kMostHead),
                                             redirect_error(use_awaitable, error));
    }
    client.stream.close();
  }

  const ReceiverOptions options_;
  asio::io_context io_{1};
  asio::thread_pool worker_{1};  // The disk may be slow.
  tcp::acceptor acceptor_;
  std::list<beast::tcp_stream*> idle_;  // Of clients that wait to ask, the longest first.
  std::size_t connections_ = 0;
  std::size_t bodies_ = 0;  // Bytes of posts that are being read or answered.
  bool is_stopping_ = false;
};

Receiver::Receiver(int socket, ReceiverOptions options)
    : impl_(std::make_unique<Impl>(socket, std::move(options))) {}
Receiver::~Receiver() = default;

void Receiver::run() { impl_->run(); }
void Receiver::stop() { impl_->stop(); }
void Receiver::abandon() { impl_->abandon(); }

}  // namespace spoor::receive
