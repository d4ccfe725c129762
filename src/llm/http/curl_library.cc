#include "llm/http/curl_library.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>

namespace spoor::llm::http {
namespace {

bool find_all(const SharedLibrary& library, Curl& curl) {
  return library.find("curl_global_init", curl.global_init) &&
         library.find("curl_easy_init", curl.easy_init) &&
         library.find("curl_easy_reset", curl.easy_reset) &&
         library.find("curl_easy_setopt", curl.easy_setopt) &&
         library.find("curl_easy_strerror", curl.easy_strerror) &&
         library.find("curl_easy_cleanup", curl.easy_cleanup) &&
         library.find("curl_easy_perform", curl.easy_perform) &&
         library.find("curl_easy_getinfo", curl.easy_getinfo) &&
         library.find("curl_easy_send", curl.easy_send) &&
         library.find("curl_easy_recv", curl.easy_recv) &&
         library.find("curl_multi_init", curl.multi_init) &&
         library.find("curl_multi_add_handle", curl.multi_add_handle) &&
         library.find("curl_multi_remove_handle", curl.multi_remove_handle) &&
         library.find("curl_multi_perform", curl.multi_perform) &&
         library.find("curl_multi_poll", curl.multi_poll) &&
         library.find("curl_multi_wakeup", curl.multi_wakeup) &&
         library.find("curl_multi_info_read", curl.multi_info_read) &&
         library.find("curl_multi_cleanup", curl.multi_cleanup) &&
         library.find("curl_slist_append", curl.slist_append) &&
         library.find("curl_slist_free_all", curl.slist_free_all);
}

}  // namespace

std::optional<Curl> load_curl(const std::vector<std::string>& names) {
  // libcurl's own initialization is thread-safe only in some builds.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  Curl curl;
  if (curl.global_init == nullptr && !find_all(SharedLibrary(names), curl)) return std::nullopt;
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return std::nullopt;
  return curl;
}

std::string certificate_file(const std::string& own) {
#ifdef SPOOR_SELF_CONTAINED
  if (!own.empty() || std::getenv("SSL_CERT_FILE") != nullptr ||
      std::getenv("SSL_CERT_DIR") != nullptr) {
    return own;
  }
  for (const char* path : {
           "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo
           "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, Red Hat
           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat 10
           "/etc/ssl/ca-bundle.pem",                             // openSUSE
           "/etc/ssl/cert.pem",                                  // Alpine, macOS
       }) {
    if (::access(path, R_OK) == 0) return path;
  }
#endif
  return own;
}

}  // namespace spoor::llm::http
