#include "cli/git/blobs.h"

#include <fmt/format.h>

namespace spoor::cli::git {

Result<GitOid> Blobs::of(const store::Oid& content) {
  if (const auto known = known_.find(content); known != known_.end()) return known->second;
  const auto bytes = reader_.content(content);
  GitOid blob;
  if (bytes) {
    blob = TRY(of_text(*bytes.value()));
  } else if (bytes.error().code == Error::Code::not_found) {
    ++absent_;
    blob = TRY(of_text(fmt::format("(the bytes of {} are not in this store)\n", content.hex())));
  } else {
    return bytes.error();
  }
  known_.emplace(content, blob);
  return blob;
}

}  // namespace spoor::cli::git
