#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/shared_library.h"

namespace spoor::llm::http {

/// The functions used from libcurl, with its own signatures.
struct Curl {
  decltype(&::curl_global_init) global_init = SPOOR_LINKED(curl_global_init);
  decltype(&::curl_easy_init) easy_init = SPOOR_LINKED(curl_easy_init);
  decltype(&::curl_easy_reset) easy_reset = SPOOR_LINKED(curl_easy_reset);
  decltype(&::curl_easy_setopt) easy_setopt = SPOOR_LINKED(curl_easy_setopt);
  decltype(&::curl_easy_strerror) easy_strerror = SPOOR_LINKED(curl_easy_strerror);
  decltype(&::curl_easy_cleanup) easy_cleanup = SPOOR_LINKED(curl_easy_cleanup);
  decltype(&::curl_easy_perform) easy_perform = SPOOR_LINKED(curl_easy_perform);
  decltype(&::curl_easy_getinfo) easy_getinfo = SPOOR_LINKED(curl_easy_getinfo);
  decltype(&::curl_easy_send) easy_send = SPOOR_LINKED(curl_easy_send);
  decltype(&::curl_easy_recv) easy_recv = SPOOR_LINKED(curl_easy_recv);
  decltype(&::curl_multi_init) multi_init = SPOOR_LINKED(curl_multi_init);
  decltype(&::curl_multi_add_handle) multi_add_handle = SPOOR_LINKED(curl_multi_add_handle);
  decltype(&::curl_multi_remove_handle) multi_remove_handle =
      SPOOR_LINKED(curl_multi_remove_handle);
  decltype(&::curl_multi_perform) multi_perform = SPOOR_LINKED(curl_multi_perform);
  decltype(&::curl_multi_poll) multi_poll = SPOOR_LINKED(curl_multi_poll);
  decltype(&::curl_multi_wakeup) multi_wakeup = SPOOR_LINKED(curl_multi_wakeup);
  decltype(&::curl_multi_info_read) multi_info_read = SPOOR_LINKED(curl_multi_info_read);
  decltype(&::curl_multi_cleanup) multi_cleanup = SPOOR_LINKED(curl_multi_cleanup);
  decltype(&::curl_slist_append) slist_append = SPOOR_LINKED(curl_slist_append);
  decltype(&::curl_slist_free_all) slist_free_all = SPOOR_LINKED(curl_slist_free_all);
};

/// Loads one of the libraries, unless libcurl is linked; nullopt if none exists. Safe to call from
/// any thread.
std::optional<Curl> load_curl(const std::vector<std::string>& names);

/// Returns the file of certificates that servers are verified with: `own` unless it is empty. A
/// linked libcurl is not built for one system, so then the first of the places where systems keep
/// theirs, if SSL_CERT_FILE and SSL_CERT_DIR are not set. Empty means that libcurl itself knows.
std::string certificate_file(const std::string& own);

}  // namespace spoor::llm::http
