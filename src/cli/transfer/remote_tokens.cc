#include "cli/transfer/remote_tokens.h"

#include "base/files.h"
#include "llm/key.h"
#include "store/sha256.h"

namespace spoor::cli {
namespace {

// Returns the path of a URL's file, which shows the host; empty without a home.
std::string path_for(const Session& session, const std::string& url) {
  const std::string folder = config_home(session.environment());
  if (folder.empty()) return {};
  const std::size_t begin = url.find("://") + 3;
  std::string host = url.substr(begin, url.find_first_of(":/", begin) - begin);
  for (char& c : host) {
    if (c == '[' || c == ']') c = '_';
  }
  constexpr std::size_t kDigits = 16;
  return folder + "/tokens/" + host + "-" + store::sha256(url).hex(kDigits);
}

}  // namespace

Result<std::string> remote_token(const Session& session, const std::string& url) {
  const auto given = session.environment().variable("SPOOR_TOKEN");
  if (given && !given->empty()) return TRY(llm::make_key(*given, "SPOOR_TOKEN")).secret();
  const std::string path = path_for(session, url);
  if (path.empty()) return std::string();
  auto key = llm::key_from_file(path);
  if (!key && key.error().code == Error::Code::not_found) return std::string();
  return TRY(std::move(key)).secret();
}

Result<std::string> keep_remote_token(const Session& session, const std::string& url,
                                      const std::string& token) {
  const std::string secret = TRY(llm::make_key(token, "the token")).secret();
  const std::string path = path_for(session, url);
  if (path.empty()) return not_found("there is no folder for tokens", "set HOME");
  constexpr unsigned kOwnerOnly = 0600;
  TRY(write_file(path, secret + "\n", kOwnerOnly));
  return path;
}

}  // namespace spoor::cli
