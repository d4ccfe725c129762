#include "serve/http.h"

#include <fmt/format.h>

namespace spoor::serve {

Error BeastWire::error_of(const boost::system::error_code& error) const {
  if (why_) return *why_;
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error == boost::asio::error::eof) {
    return unavailable("the connection to the other store ended too early",
                       "run the command again: it goes on where it was");
  }
  return invalid(fmt::format("the other side does not speak HTTP/1.1: {}", error.message()),
                 "check the address");
}

}  // namespace spoor::serve
