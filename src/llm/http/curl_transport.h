#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llm/http/transport.h"

namespace spoor::llm::http {

struct CurlOptions {
  std::string ca_file;  ///< PEM certificates to trust instead of the system's; empty: the system's
  bool uses_proxies = true;  ///< those of the environment; of ByteStream alone
  /// The libraries to try, in order; the first that exists is loaded (docs/adr/0017).
  std::vector<std::string> libraries = {"libcurl.so.4", "libcurl-gnutls.so.4"};
};

/// The failure of every call if none of the libraries exists; it names the package to install.
Failure no_library(const CurlOptions& options);

/// HTTP with libcurl, which is loaded at the first request. If it is missing, each request fails
/// with the name of the package that contains it.
///
/// http and https only; certificates are always verified; HTTP/2 over TLS if the server supports
/// it. Proxies come from the environment, as in libcurl (docs/providers.md). Connections are reused
/// by later requests. It does not decompress, follow redirects or keep cookies. A stop_token ends a
/// request at once, even during name resolution. Memory use is one libcurl buffer plus heads up to
/// 256 KiB.
///
/// Failures contain the host, never a header or a body.
class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(CurlOptions options = {});
  ~CurlTransport() override;

  std::optional<Failure> send(const Request& request, const Sink& sink) override;

 private:
  class Pool;

  const std::unique_ptr<Pool> pool_;
};

}  // namespace spoor::llm::http
