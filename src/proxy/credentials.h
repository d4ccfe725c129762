#pragma once

#include <string>
#include <vector>

#include "compile/known_keys.h"
#include "proxy/exchange.h"

namespace spoor::proxy {

/// The secrets with which a request identifies itself: those of its headers (`Authorization`,
/// `x-api-key`, `x-goog-api-key`, cookies and their like) and of its query (`?key=`).
class Credentials {
 public:
  Credentials(const Headers& request, std::string_view target);

  Credentials() = default;

  /// Adds those of another request. The newest few hundred are kept.
  void add(const Credentials& others);

  bool empty() const { return keys_.empty(); }

  /// Replaces each of them by compile::kKeyMark, also where it is escaped or in base64. Returns
  /// whether there was one.
  bool take_out_of(std::string& text) const;

 private:
  void add_secret(std::string_view secret);

  std::vector<compile::KnownKey> keys_;
};

/// Takes the credentials out of an exchange: decodes the response's body, so that they can be seen,
/// and takes them out of both bodies, of headers and of the target. A response that tells one in
/// pieces, as a stream may, becomes compile::kKeyMark; one that cannot be decoded is left out.
void take_out(const Credentials& credentials, Exchange& exchange);

/// Replaces the values in the query of all members but those that are known to be harmless.
std::string without_credentials(std::string_view target);

}  // namespace spoor::proxy
