#include "store/postgres/address.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/percent.h"
#include "store/operation.h"
#include "store/postgres/library.h"

namespace spoor::store::postgres {
namespace {

constexpr std::array kSchemes = {std::string_view("postgres://"),
                                 std::string_view("postgresql://")};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    if (comma == list.size()) return parts;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (is_plain) line += c;
    if (!is_plain && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool is_address(std::string_view address) {
  return address.starts_with(kSchemes[0]) || address.starts_with(kSchemes[1]);
}

Result<Address> parse_address(std::string_view address) {
  constexpr std::string_view kParameter = "store=";
  Address parsed;
  const std::size_t query = address.find('?');
  parsed.server = address.substr(0, query);
  char separator = '?';
  std::string_view rest = query == std::string_view::npos ? "" : address.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view each = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    if (!each.starts_with(kParameter)) {
      parsed.server.append(1, separator).append(each);
      separator = '&';
      continue;
    }
    const bool is_again = !parsed.store.empty();
    const auto name = percent_decoded(each.substr(kParameter.size()));
    parsed.store = name.value_or("");
    if (is_again || !ref_name_problem("refs/heads/" + parsed.store).empty()) {
      return invalid(fmt::format("'{}' is not the name of a store", in_one_line(each)),
                     "write it as 'postgres://HOST/DATABASE?store=NAME'");
    }
  }
  if (parsed.store.empty()) parsed.store = "main";
  return parsed;
}

Result<Hosts> hosts_of(const std::string& server) {
  const Libpq* pq = load_libpq();
  if (pq == nullptr) {
    return unavailable("libpq 14 or later, which PostgreSQL's programs use, is not installed",
                       "on Debian and Ubuntu: apt install libpq5");
  }
  char* problem = nullptr;
  auto* options = pq->parse(server.c_str(), &problem);
  if (options == nullptr) {
    // It quotes what it could not read, which may be a part of the password.
    std::string said = problem == nullptr ? "" : in_one_line(problem);
    pq->free_memory(problem);
    said.resize(std::min(said.find_first_of(":\""), said.size()));
    return invalid(fmt::format("the address of the store is not one: {}", said),
                   "write it as 'postgres://HOST/DATABASE?store=NAME'");
  }
  std::map<std::string, std::string> given;
  for (const auto* each = options; each->keyword != nullptr; ++each) {
    if (each->val != nullptr) given.emplace(each->keyword, each->val);
  }
  pq->free_options(options);

  const std::array kLists = {"host", "hostaddr", "port"};
  std::map<std::string, std::vector<std::string>> lists;
  std::size_t count = 1;
  for (const char* key : kLists) {
    if (!given.contains(key)) continue;
    lists[key] = split(given[key]);
    count = std::max(count, lists[key].size());
  }
  // A part of a password with a '/' or an '@', which whoever refuses the address would quote.
  const auto is_part = [&](const std::string& key, const std::string& value) {
    const bool is_number = value.find_first_not_of("0123456789") == value.npos;
    const bool has_at = !value.starts_with('/') && value.find('@', 1) != value.npos;
    return key == "port" ? !is_number : has_at;
  };
  for (const auto& [key, list] : lists) {
    for (const std::string& each : list) {
      if (!is_part(key, each)) continue;
      return invalid(fmt::format("the address of the store is not one: a '{}' is not valid", key),
                     "in a password, write '/' as %2F and '@' as %40");
    }
  }
  for (const auto& [key, list] : lists) {
    if (list.size() == 1 || list.size() == count) continue;
    return invalid(fmt::format("the address has {} of '{}' for {} hosts", list.size(), key, count),
                   "give one for all, or one for each");
  }
  Hosts hosts;
  const bool is_one = count == 1;
  // A server that is cut off is given up after this time without an answer of its machine.
  hosts.defaults = {{"tcp_user_timeout", is_one ? "30000" : "5000"},
                    {"keepalives_idle", is_one ? "10" : "2"},
                    {"keepalives_interval", is_one ? "5" : "1"}};
  if (!is_one) hosts.timeout = std::chrono::seconds(3);
  if (given.contains("connect_timeout")) {
    const std::chrono::seconds timeout(std::atoi(given["connect_timeout"].c_str()));
    hosts.timeout = timeout.count() > 0 ? timeout : std::chrono::minutes(2);
  }
  std::vector<std::string> targets = {given["target_session_attrs"]};
  if (!is_one && targets[0].empty()) targets[0] = "read-write";
  if (!is_one && targets[0] == "prefer-standby") targets = {"standby", "any"};
  for (const std::string& target : targets) {
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Parameter>& attempt = hosts.attempts.emplace_back();
      if (is_one) continue;
      for (const auto& [key, list] : lists) {
        const std::string& value = list[list.size() == 1 ? 0 : i];
        // libpq would take an empty one for none.
        attempt.push_back({key, value.empty() && key == "port" ? "5432" : value});
      }
      attempt.push_back({"target_session_attrs", target});
    }
  }
  return hosts;
}

}  // namespace spoor::store::postgres
