#include "audit/check/hosts.h"

#include <algorithm>
#include <array>

#include "store/text.h"

namespace spoor::audit::check {
namespace {

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Their operands are addresses, with or without a scheme.
constexpr std::array<std::string_view, 9> kWeb = {"curl",   "wget", "http",   "https",   "xh",
                                                  "aria2c", "lynx", "httpie", "websocat"};
// Flags of these that take a word which is no address; letters, of all of them together.
constexpr std::string_view kWebValues = "XHdoFAbecuwTmKExQtyYzCDrPUOiS";
constexpr std::string_view kCurlValues = "XHdoFAbecuwTmKExQtyYzCDrPU";
constexpr std::string_view kWgetValues = "OoaiBtTwQePUlADIX";
constexpr std::array<std::string_view, 30> kLongValues = {"--request",
                                                          "--header",
                                                          "--data",
                                                          "--output",
                                                          "--form",
                                                          "--user-agent",
                                                          "--cookie",
                                                          "--referer",
                                                          "--cert",
                                                          "--user",
                                                          "--write-out",
                                                          "--max-time",
                                                          "--config",
                                                          "--cacert",
                                                          "--data-raw",
                                                          "--data-binary",
                                                          "--data-urlencode",
                                                          "--json",
                                                          "--connect-timeout",
                                                          "--retry",
                                                          "--cookie-jar",
                                                          "--key",
                                                          "--output-document",
                                                          "--method",
                                                          "--body-data",
                                                          "--post-data",
                                                          "--upload-file",
                                                          "--retry-delay",
                                                          "--form-string",
                                                          "--output-dir"};
// `[user@]host`, then a command or a port.
constexpr std::array<std::string_view, 9> kRemote = {"ssh",   "telnet", "nc",   "ncat", "netcat",
                                                     "socat", "ftp",    "sftp", "mosh"};
constexpr std::string_view kRemoteValues = "ilopFJLRDWbcmEeIQSBwqsxgG";
// `host:path` among their operands.
constexpr std::array<std::string_view, 2> kCopying = {"scp", "rsync"};
constexpr std::array<std::string_view, 10> kCode = {"python", "python3", "node", "ruby", "perl",
                                                    "php",    "deno",    "bun",  "pwsh", "lua"};

bool has_scheme(std::string_view text) {
  const std::size_t at = text.find("://");
  if (at == std::string_view::npos || at == 0) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
}

bool is_of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == ':' || c == '[' || c == ']' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// `host`, `host:port`, `[v6]:port`.
Host host_of_authority(std::string_view authority, std::string_view text) {
  Host host;
  host.text = text;
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  const std::string small = store::lowered(authority);
  if (!std::all_of(small.begin(), small.end(), is_of_host)) return host;
  std::size_t colon = small.rfind(':');
  if (small.starts_with('[')) {
    const std::size_t end = std::min(small.find(']'), small.size());
    host.name = small.substr(1, end - 1);
    colon = small.find(':', end);
  } else {
    host.name = small.substr(0, colon);
  }
  while (host.name.ends_with('.')) host.name.pop_back();
  if (colon != std::string::npos) host.port = small.substr(colon + 1);
  return host;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The addresses that stand in a text of code.
void add_urls_in(std::string_view text, std::vector<Host>& to) {
  for (std::size_t at = text.find("://"); at != std::string_view::npos;
       at = text.find("://", at + 3)) {
    std::size_t begin = at;
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    const std::size_t end = std::min(text.find_first_of("\"'` \t\n)<>\\", at + 3), text.size());
    if (begin < at) to.push_back(host_of_url(text.substr(begin, end - begin)));
  }
}

// The words that are neither flags nor what flags take.
std::vector<Word> addresses_of(const Command& command, std::string_view letters) {
  std::vector<Word> made;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    if (text == "--url" && i + 1 < command.words.size()) {
      made.push_back(command.words[++i]);
    } else if (text.starts_with("--url=")) {
      made.push_back({text.substr(6), command.words[i].is_certain});
    } else if (text.starts_with("--")) {
      if (is_in(kLongValues, text)) ++i;
    } else if (text.size() > 1 && text.front() == '-') {
      if (letters.find(text.back()) != std::string_view::npos) ++i;
    } else {
      made.push_back(command.words[i]);
    }
  }
  return made;
}

Host unknown(const Word& word) { return {"", "", word.text}; }

void add_web(const Command& command, std::vector<Host>& to) {
  const std::string& name = command.program;
  const bool is_httpie = name.starts_with("http") || name == "xh";
  std::vector<Word> words = addresses_of(command, name == "curl"   ? kCurlValues
                                                  : name == "wget" ? kWgetValues
                                                                   : kWebValues);
  if (is_httpie) {
    // `http POST address name=value…`
    if (!words.empty() &&
        words.front().text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos) {
      words.erase(words.begin());
    }
    if (words.size() > 1) words.resize(1);
  }
  for (const Word& word : words) {
    const Host host = host_of_url(word.text);
    const bool is_known = !host.name.empty();
    if (is_known) {
      to.push_back(host);
    } else if (!word.is_certain) {
      to.push_back(unknown(word));
    }
  }
  const std::string proxy = name == "curl" ? command.value_of('x', "--proxy") : "";
  if (!proxy.empty()) to.push_back(host_of_url(proxy));
}

void add_copying(const Command& command, std::vector<Host>& to) {
  for (const Word& word : command.operands()) {
    if (has_scheme(word.text)) {
      to.push_back(host_of_url(word.text));
      continue;
    }
    const std::size_t colon = word.text.find(':');
    const std::size_t slash = word.text.find('/');
    if (colon == std::string::npos || colon == 0 || slash < colon) continue;
    to.push_back(host_of_authority(std::string_view(word.text).substr(0, colon), word.text));
  }
}

void add_git(const Command& command, std::vector<Host>& to) {
  const std::vector<Word> words = command.operands();
  constexpr std::array<std::string_view, 9> kVerbs = {
      "clone", "push", "fetch", "pull", "remote", "ls-remote", "submodule", "archive", "subtree"};
  const bool asks = std::any_of(words.begin(), words.end(),
                                [&](const Word& word) { return is_in(kVerbs, word.text); });
  if (asks) add_copying(command, to);
}

}  // namespace

Host host_of_url(std::string_view url) {
  std::string_view rest = url;
  if (const std::size_t at = url.find("://"); at != std::string_view::npos) {
    rest = url.substr(at + 3);
  }
  // A browser takes a backslash for a slash.
  return host_of_authority(rest.substr(0, rest.find_first_of("/?#\\")), url);
}

std::vector<Host> hosts_of(const Command& command) {
  std::vector<Host> hosts;
  const std::string& name = command.program;
  if (is_in(kWeb, name)) {
    add_web(command, hosts);
  } else if (is_in(kRemote, name)) {
    std::vector<Word> words =
        addresses_of(command, name == "nc" || name == "ncat" || name == "netcat" || name == "socat"
                                  ? std::string_view("psXxwqieGIOT")
                                  : kRemoteValues);
    if (name == "socat") {
      for (const Word& word : words) {
        const std::string small = store::lowered(word.text);
        for (const std::string_view kind : {"tcp:", "tcp4:", "tcp6:", "udp:", "openssl:", "ssl:"}) {
          if (small.starts_with(kind)) {
            hosts.push_back(
                host_of_authority(std::string_view(word.text).substr(kind.size()), word.text));
          }
        }
      }
    } else if (!words.empty() && !command.has_flag('l', "--listen")) {
      hosts.push_back(words.front().is_certain ? host_of_url(words.front().text)
                                               : unknown(words.front()));
      if (hosts.back().port.empty() && words.size() > 1 && name != "ssh" && name != "mosh" &&
          name != "sftp") {
        hosts.back().port = words[1].text;
      }
    }
  } else if (is_in(kCopying, name)) {
    add_copying(command, hosts);
  } else if (name == "git") {
    add_git(command, hosts);
  } else if (is_in(kCode, name)) {
    for (const Word& word : command.words) add_urls_in(word.text, hosts);
    add_urls_in(command.input, hosts);
  } else if (name == "pip" || name == "pip3" || name == "npm" || name == "pnpm" || name == "yarn" ||
             name == "gem" || name == "cargo" || name == "docker") {
    for (const Word& word : command.words) {
      const std::string_view text = word.text;
      const std::size_t equals = text.starts_with("--") ? text.find('=') : std::string_view::npos;
      const std::string_view value =
          equals == std::string_view::npos ? text : text.substr(equals + 1);
      const bool is_git = value.starts_with("git+");
      if (has_scheme(value) || is_git) hosts.push_back(host_of_url(value));
    }
  }
  for (const Redirect& redirect : command.redirects) {
    for (const std::string_view device : {"/dev/tcp/", "/dev/udp/"}) {
      if (!redirect.to.text.starts_with(device)) continue;
      const std::string_view rest = std::string_view(redirect.to.text).substr(device.size());
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      Host host = host_of_authority(rest.substr(0, slash), redirect.to.text);
      host.port = rest.substr(std::min(slash + 1, rest.size()));
      hosts.push_back(std::move(host));
    }
  }
  return hosts;
}

bool is_allowed(const Host& host, const std::vector<std::string>& allowed) {
  if (host.name == "localhost" || host.name.ends_with(".localhost") || host.name == "::1" ||
      host.name == "0.0.0.0") {
    return true;
  }
  // 127.0.0.0/8, written out.
  if (host.name.starts_with("127.") &&
      host.name.find_first_not_of("0123456789.") == std::string::npos) {
    return true;
  }
  for (std::string_view pattern : allowed) {
    const std::size_t colon = pattern.rfind(':');
    if (colon != std::string_view::npos) {
      if (pattern.substr(colon + 1) != host.port) continue;
      pattern = pattern.substr(0, colon);
    }
    if (pattern.starts_with("*.")) {
      if (host.name.size() > pattern.size() - 1 && host.name.ends_with(pattern.substr(1))) {
        return true;
      }
    } else if (pattern == host.name) {
      return true;
    }
  }
  return false;
}

}  // namespace spoor::audit::check
