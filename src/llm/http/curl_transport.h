#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llm/http/transport.h"

namespace spoor::llm::http {

struct CurlOptions {
  std::string ca_file;  ///< PEM certificates to trust in place of the system's; empty: those
  /// What to load, the first that is there (docs/adr/0017).
  std::vector<std::string> libraries = {"libcurl.so.4", "libcurl-gnutls.so.4"};
};

/// HTTP over libcurl, which is loaded at the first request. Where it is missing each request fails
/// and says which package has it.
///
/// http and https only, certificates always verified, HTTP/2 where a server has it over TLS.
/// Proxies come from the environment, as libcurl takes them (docs/providers.md). Connections are
/// kept and used again by later requests. Nothing is decompressed, no redirect followed, no cookie
/// kept. A stop_token ends a request at once, also while a name is looked up. What is in memory at
/// a time is one buffer of libcurl's, and heads up to 256 KiB.
///
/// Failures name the host, never a header or a body.
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
