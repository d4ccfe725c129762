#include "audit/check/hosts.h"

#include <algorithm>
#include <array>

#include "audit/check/options.h"
#include "store/text.h"
#include "store/words.h"

namespace spoor::audit::check {
namespace {

using store::is_in;

// Their operands are addresses, with or without a scheme, and these options of theirs take a word.
struct Client {
  std::string_view name;
  OptionKinds kinds;
};
// Sources: the manual pages of curl 8.11 and wget 1.25.
constexpr OptionKinds kCurl{
    "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    "--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers "
    "--config --connect-timeout --connect-to --continue-at --cookie --cookie-jar "
    "--create-file-mode --crlfile --curves --data --data-ascii --data-binary --data-raw "
    "--data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers "
    "--doh-url --dump-header --ech --egd-file --engine --etag-compare --etag-save "
    "--expect100-timeout --form --form-string --ftp-account --ftp-alternative-to-user --ftp-method "
    "--ftp-port --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --header "
    "--hostpubmd5 --hostpubsha256 --hsts --interface --ip-tos --ipfs-gateway --json "
    "--keepalive-cnt --keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port "
    "--login-options --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --max-time "
    "--netrc-file --noproxy --oauth2-bearer --output --output-dir --parallel-max --pass "
    "--pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy --proxy-cacert "
    "--proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header "
    "--proxy-key --proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-service-name "
    "--proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser --proxy-user "
    "--proxy1.0 --pubkey --quote --random-file --range --rate --referer --request "
    "--request-target --resolve --retry --retry-delay --retry-max-time --sasl-authzid "
    "--service-name --sigalgs --socks4 --socks4a --socks5 --socks5-gssapi-service "
    "--socks5-hostname --speed-limit --speed-time --stderr --telnet-option --tftp-blksize "
    "--time-cond --tls-max --tls13-ciphers --tlsauthtype --tlspassword --tlsuser --trace "
    "--trace-ascii --trace-config --unix-socket --upload-file --upload-flags --url --url-query "
    "--user --user-agent --variable --vlan-priority --write-out"};
constexpr OptionKinds kWget{
    "eoaiBtOTwQPUlADRIX",
    "--accept --accept-regex --append-output --base --bind-address --bind-dns-address --body-data "
    "--body-file --ca-certificate --ca-directory --certificate --certificate-type --ciphers "
    "--compression --config --connect-timeout --crl-file --cut-dirs --default-page --dns-servers "
    "--dns-timeout --domains --egd-file --exclude-directories --exclude-domains --execute "
    "--follow-tags --ftp-password --ftp-user --header --hsts-file --http-password --http-user "
    "--ignore-tags --include-directories --input-file --level --limit-rate --load-cookies "
    "--local-encoding --max-redirect --method --output-document --output-file --password "
    "--pinnedpubkey --post-data --post-file --prefer-family --preferred-location --private-key "
    "--private-key-type --progress --proxy-password --proxy-user --quota --random-file "
    "--read-timeout --referer --regex-type --reject --reject-regex --rejected-log "
    "--remote-encoding --report-speed --restrict-file-names --retry-on-http-error --save-cookies "
    "--secure-protocol --start-pos --timeout --tries --user --user-agent --wait --waitretry "
    "--warc-dedup --warc-file --warc-header --warc-max-size --warc-tempdir --directory-prefix"};
constexpr std::array kClients = {
    Client{"curl", kCurl},
    Client{"wget", kWget},
    Client{"http", {"adAosSpP", "--auth --download --output --session --timeout --verify --proxy"}},
    Client{"https",
           {"adAosSpP", "--auth --download --output --session --timeout --verify --proxy"}},
    Client{"httpie", {"adAosSpP", "--auth --output --session --timeout --verify --proxy"}},
    Client{"xh", {"aAosp", "--auth --output --session --timeout --verify --proxy"}},
    Client{"aria2c", {"doxsjkiUl", "--dir --out --header --split --input-file --user-agent"}},
    Client{"axel", {"nsoHTU", "--num-connections --output --header --user-agent"}},
    Client{"lynx", {}},
    Client{"w3m", {"o", ""}},
    Client{"websocat", {"HE", "--header --origin"}},
    Client{"wscat", {"cHsnoP", "--connect --header --origin --host"}},
    Client{"grpcurl", {"dH", "--import-path --proto"}},
    Client{"lwp-request", {"mbtiUuCdoHp", ""}},
    Client{"GET", {}},
    Client{"POST", {}},
    Client{"ab", {"ncAHTpumveXPi", ""}},
    Client{"hey", {"nczqmHtADdTahx", ""}},
    Client{"ping", {"cIilMmpQSstTwW", ""}},
    Client{"ping6", {"cIilMmpQSstTwW", ""}},
    Client{"traceroute", {"fgimNpqstwz", ""}},
    Client{"dig", {"bcfkpqtxy", ""}},
    Client{"nslookup", {}},
    Client{"host", {"cNRtWm", ""}},
    Client{"whois", {"hp", "--host --port"}},
};
// `[user@]host`, then a command or a port.
constexpr std::array kRemote = {
    Client{"ssh", {"BbcDEeFIiJLlmOopQRSWw", ""}},
    Client{"mosh", {"p", "--ssh --port --server --client"}},
    Client{"sftp", {"BbcDFiJloPRSsX", ""}},
    Client{"ftp", {}},
    Client{"telnet", {"abelnX", ""}},
    Client{"nc", {"eiIMmOPpqsTVWwXx", ""}},
    Client{"ncat", {"ceiGgmopsTwx", "--exec --sh-exec --source --source-port --wait --proxy"}},
    Client{"netcat", {"eiIMmOPpqsTVWwXx", ""}},
    Client{"socat", {"bdlTtS", ""}},
};
// Programs that ask a service of their own, and what it is called where that is known.
struct Service {
  std::string_view name;
  std::string_view host;
};
constexpr std::array kServices = {
    Service{"gh", "github.com"},
    Service{"glab", "gitlab.com"},
    Service{"aws", "amazonaws.com"},
    Service{"gcloud", "googleapis.com"},
    Service{"gsutil", "googleapis.com"},
    Service{"az", "azure.com"},
    Service{"heroku", "heroku.com"},
    Service{"vercel", "vercel.com"},
    Service{"netlify", "netlify.com"},
    Service{"flyctl", "fly.io"},
    Service{"fly", "fly.io"},
};
// `-h host`
constexpr std::array<std::string_view, 9> kDatabases = {
    "psql", "pg_dump", "mysql", "mariadb", "mysqldump", "redis-cli", "mongosh", "mongo", "sqlcmd"};
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

Host unknown(const Word& word) { return {"", "", word.text}; }

// Is what decides the host written out: `https://good.com/$x`, and not `$x/y`, `a.$x`?
bool has_certain_host(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::string_view before = url.substr(0, end);
  const bool is_ended = end < url.size();
  return is_ended && before.find_first_of("$`{") == std::string_view::npos;
}

// What a word is taken for: an address, or nobody knows which.
void add_address(const Word& word, std::vector<Host>& to) {
  if (word.text.starts_with("file:") || word.text.empty()) return;
  Host host = host_of_url(word.text);
  const bool is_known = !host.name.empty() && (word.is_certain || has_certain_host(word.text));
  to.push_back(is_known ? std::move(host) : unknown(word));
}

template <std::size_t N>
const Client* client_of(const std::array<Client, N>& clients, std::string_view name) {
  const auto* found = std::find_if(clients.begin(), clients.end(),
                                   [&](const Client& client) { return client.name == name; });
  return found == clients.end() ? nullptr : found;
}

void add_web(const Client& client, const Command& command, std::vector<Host>& to) {
  const std::string_view name = client.name;
  const Options given = options_of(command.words, client.kinds);
  std::vector<Word> words = given.operands;
  const bool is_httpie = name == "http" || name == "https" || name == "httpie" || name == "xh";
  if (is_httpie) {
    // `http POST address name=value…`
    const bool has_method =
        !words.empty() &&
        words.front().text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    if (has_method) words.erase(words.begin());
    if (words.size() > 1) words.resize(1);
  }
  if (name == "dig") {
    for (Word& word : words) {
      if (word.text.starts_with('@')) word.text.erase(0, 1);
    }
    std::erase_if(words, [](const Word& word) {
      return word.text.starts_with('+') ||
             word.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    });
  }
  for (const Word& word : words) add_address(word, to);
  for (const Option& option : given.options) {
    if (!option.value) continue;
    const Word& value = *option.value;
    constexpr std::array<std::string_view, 13> kAddresses = {
        "--url",     "-x",        "--proxy",       "--preproxy", "--proxy1.0",
        "--socks4",  "--socks4a", "--socks5",      "--doh-url",  "--socks5-hostname",
        "--connect", "--base",    "--ipfs-gateway"};
    const bool is_curl = name == "curl";
    const bool is_short = option.name.size() == 2;
    if (is_in(kAddresses, option.name) && (!is_short || is_curl)) {
      add_address(value, to);
    } else if (is_curl && (option.name == "--resolve" || option.name == "--connect-to")) {
      // `from:port:to[:port]`: where it goes instead.
      std::string_view rest = value.text;
      for (int i = 0; i < 2; ++i) rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));
      add_address({std::string(rest), value.is_certain}, to);
    } else if ((is_curl && (option.name == "-K" || option.name == "--config")) ||
               (name == "wget" && (option.name == "-i" || option.name == "--input-file" ||
                                   option.name == "--config"))) {
      to.push_back(unknown(value));
    } else if (name == "wget" && (option.name == "-e" || option.name == "--execute")) {
      if (value.text.find("proxy") != std::string::npos) to.push_back(unknown(value));
    }
  }
}

void add_copying(const Command& command, std::vector<Host>& to) {
  for (const Word& word : command.operands()) {
    if (has_scheme(word.text)) {
      add_address(word, to);
      continue;
    }
    if (!word.is_certain && word.text.find('$') == 0) {
      // `$HOST:x`, and a whole word that nobody knows, which may be one.
      to.push_back(unknown(word));
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
  for (const Word& word : command.words) {
    // `-c url.X.insteadOf=Y`, `-c core.sshCommand=…`: others are asked than those that are named.
    const std::string small = store::lowered(word.text);
    const bool redirects = small.find(".insteadof") != std::string::npos ||
                           small.find("sshcommand") != std::string::npos ||
                           small.find("proxy=") != std::string::npos;
    if (redirects) to.push_back(unknown(word));
  }
  constexpr std::array<std::string_view, 10> kVerbs = {"clone",  "push",      "fetch",   "pull",
                                                       "remote", "ls-remote", "archive", "subtree",
                                                       "config", "submodule"};
  const bool asks = std::any_of(words.begin(), words.end(),
                                [&](const Word& word) { return is_in(kVerbs, word.text); });
  if (asks) add_copying(command, to);
}

void add_remote(const Client& client, const Command& command, std::vector<Host>& to) {
  const std::string_view name = client.name;
  const Options given = options_of(command.words, client.kinds);
  if (name == "socat") {
    for (const Word& word : given.operands) {
      const std::string small = store::lowered(word.text);
      const std::size_t colon = small.find(':');
      const bool is_network = small.starts_with("tcp") || small.starts_with("udp") ||
                              small.starts_with("openssl") || small.starts_with("ssl") ||
                              small.starts_with("sctp") || small.starts_with("proxy") ||
                              small.starts_with("socks");
      const bool listens = small.find("listen") < colon || small.starts_with("tcp-l");
      if (!is_network || listens || colon == std::string::npos) continue;
      const std::string rest = word.text.substr(colon + 1);
      Host host = host_of_authority(std::string_view(rest).substr(0, rest.find(',')), word.text);
      to.push_back(word.is_certain ? std::move(host) : unknown(word));
    }
    return;
  }
  // What a connection goes through instead.
  for (const Word& setting : given.values_of('o', "")) {
    const std::string small = store::lowered(setting.text);
    const bool redirects = small.starts_with("proxy") || small.starts_with("hostname") ||
                           small.starts_with("localcommand");
    if (redirects) to.push_back(unknown(setting));
  }
  if (name == "ssh" || name == "sftp") {
    for (const Word& through : given.values_of('J', "")) add_address(through, to);
  }
  if (given.operands.empty() || given.has('l', "--listen")) return;
  add_address(given.operands.front(), to);
  const bool has_port = name != "ssh" && name != "mosh" && name != "sftp";
  if (has_port && !to.empty() && to.back().port.empty() && given.operands.size() > 1) {
    to.back().port = given.operands[1].text;
  }
}

// `python3 -c "…"`: addresses are asked by code that has a client, else they are mentions.
void add_code(const Command& command, std::vector<Host>& to) {
  std::string code = command.input;
  for (const Word& word : command.words) code += '\n' + word.text;
  constexpr std::array<std::string_view, 22> kAsking = {"urlopen",
                                                        "urllib",
                                                        "requests",
                                                        "httpx",
                                                        "aiohttp",
                                                        "http.client",
                                                        "socket",
                                                        "fetch(",
                                                        "axios",
                                                        "http.get",
                                                        "https.get",
                                                        "http.request",
                                                        "https.request",
                                                        "XMLHttpRequest",
                                                        "Net::HTTP",
                                                        "open-uri",
                                                        "LWP",
                                                        "IO::Socket",
                                                        "file_get_contents",
                                                        "curl",
                                                        "WebSocket",
                                                        "net.connect"};
  const bool asks = std::any_of(kAsking.begin(), kAsking.end(), [&](std::string_view mark) {
    return code.find(mark) != std::string::npos;
  });
  const std::size_t before = to.size();
  add_urls_in(code, to);
  for (std::size_t i = before; i < to.size(); ++i) to[i].is_mention = !asks;
  if (asks && to.size() == before) to.push_back(unknown({"code that asks the network"}));
}

// `docker push registry/image`: the registry of an image, or the usual one.
void add_images(const Command& command, std::vector<Host>& to) {
  for (const Word& word : command.words) {
    if (has_scheme(word.text)) add_address(word, to);
  }
  const std::vector<Word> words = command.operands();
  const bool moves = words.size() > 1 && (words[0].text == "push" || words[0].text == "pull" ||
                                          words[0].text == "login");
  if (!moves) return;
  const std::string& image = words[1].text;
  const std::size_t slash = image.find('/');
  const std::string first = image.substr(0, slash);
  const bool is_registry = (slash != std::string::npos || words[0].text == "login") &&
                           first.find_first_of(".:") != std::string::npos;
  add_address(
      is_registry || !words[1].is_certain ? Word{first, words[1].is_certain} : Word{"docker.io"},
      to);
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
  if (const Client* web = client_of(kClients, name)) {
    add_web(*web, command, hosts);
  } else if (const Client* remote = client_of(kRemote, name)) {
    add_remote(*remote, command, hosts);
  } else if (is_in(kCopying, name)) {
    add_copying(command, hosts);
  } else if (name == "git") {
    add_git(command, hosts);
  } else if (is_in(kCode, name)) {
    add_code(command, hosts);
  } else if (is_in(kDatabases, name)) {
    const Options given = options_of(command.words, {"hHpPUudDceS", "--host --port --user"});
    for (const Word& host : given.values_of(name == "sqlcmd" ? 'S' : 'h', "--host")) {
      if (!host.text.starts_with('/')) add_address(host, hosts);
    }
    for (const Word& word : command.words) {
      if (has_scheme(word.text)) add_address(word, hosts);
    }
  } else if (name == "openssl") {
    const std::vector<Word>& words = command.words;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const bool is_address = words[i].text == "-connect" || words[i].text == "-proxy";
      if (is_address) add_address(words[i + 1], hosts);
    }
  } else if (name == "mail" || name == "mailx" || name == "sendmail" || name == "mutt") {
    for (const Word& word : command.operands()) {
      const std::size_t at = word.text.rfind('@');
      if (at != std::string::npos) add_address({word.text.substr(at + 1), word.is_certain}, hosts);
    }
  } else if (name == "docker" || name == "podman" || name == "skopeo") {
    add_images(command, hosts);
  } else if (name == "go") {
    const std::vector<Word> words = command.operands();
    const bool fetches = !words.empty() && (words[0].text == "get" || words[0].text == "install" ||
                                            words[0].text == "run");
    for (std::size_t i = 1; fetches && i < words.size(); ++i) {
      const std::string& module = words[i].text;
      const bool is_module = module.find('.') < module.find('/') && !module.starts_with('.') &&
                             module.find('/') != std::string::npos;
      if (is_module) add_address(words[i], hosts);
    }
  } else if (name == "pip" || name == "pip3" || name == "npm" || name == "pnpm" || name == "yarn" ||
             name == "gem" || name == "cargo" || name == "uv") {
    for (const Word& word : command.words) add_urls_in(word.text, hosts);
  } else {
    for (const Service& service : kServices) {
      const bool asks = service.name == name && !command.operands().empty();
      if (asks) hosts.push_back({std::string(service.host), "", command.text()});
    }
  }
  for (const Word& assigned : command.assigned) {
    const std::size_t equals = std::min(assigned.text.find('='), assigned.text.size());
    const std::string variable = store::lowered(assigned.text.substr(0, equals));
    if (!variable.ends_with("_proxy") || variable == "no_proxy") continue;
    if (equals + 1 < assigned.text.size()) {
      add_address({assigned.text.substr(equals + 1), assigned.is_certain}, hosts);
    }
  }
  for (const Redirect& redirect : command.redirects) {
    for (const std::string_view device : {"/dev/tcp/", "/dev/udp/"}) {
      if (!redirect.to.text.starts_with(device)) continue;
      const std::string_view rest = std::string_view(redirect.to.text).substr(device.size());
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      Host host = host_of_authority(rest.substr(0, slash), redirect.to.text);
      host.port = rest.substr(std::min(slash + 1, rest.size()));
      hosts.push_back(redirect.to.is_certain ? std::move(host) : unknown(redirect.to));
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
