#include "audit/check/destructive.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "audit/check/changes.h"
#include "audit/check/options.h"
#include "audit/check/paths.h"
#include "store/text.h"
#include "store/words.h"

namespace spoor::audit::check {
namespace {

using store::is_in;
using Reason = std::optional<std::string>;

constexpr std::array<std::string_view, 11> kInterpreters = {
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node"};
constexpr std::array<std::string_view, 3> kDownloaders = {"curl", "wget", "fetch"};
constexpr std::array<std::string_view, 12> kSqlClients = {
    "psql",   "mysql",   "mariadb",   "sqlite3",           "sqlite", "sqlcmd",
    "duckdb", "sqlplus", "cockroach", "clickhouse-client", "bq",     "snowsql"};

bool is_temporary(std::string_view path) {
  for (const std::string_view folder : {"/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

bool is_home(std::string_view path) {
  for (const std::string_view home : {"~", "$HOME", "${HOME}"}) {
    if (path == home || (path.starts_with(home) && path[home.size()] == '/')) return true;
  }
  return false;
}

bool is_block_device(std::string_view path) {
  if (!path.starts_with("/dev/")) return false;
  const std::string_view name = path.substr(5);
  for (const std::string_view disk : {"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk",
                                      "mapper/", "md", "dm-", "loop"}) {
    if (name.starts_with(disk)) return true;
  }
  return false;
}

// What programs keep there they can make again.
bool is_cache(std::string_view path) {
  for (const std::string_view cache : {"~/.cache/", "$HOME/.cache/", "${HOME}/.cache/"}) {
    const bool has_name = path.starts_with(cache) && path.size() > cache.size();
    if (has_name && path.find_first_of("*.$`", cache.size()) == std::string_view::npos) return true;
  }
  return false;
}

// Where everything beneath a path is taken away.
Reason takes_away(const Word& given, const Command& command, std::string_view root) {
  const Word word = without_own_folder(given);
  std::string path = word.text;
  if (is_cache(path)) return std::nullopt;
  // `dir/*` is all of `dir`.
  const bool is_all = path == "*" || path.ends_with("/*") || path == ".*";
  if (is_home(path)) return fmt::format("takes away '{}', in the home folder", word.text);
  if (is_all) path.erase(path.size() - (path.ends_with("/*") ? 2 : path.size()));
  if (is_all && path.empty()) path = word.text.starts_with('/') ? "/" : ".";
  const std::string_view folder = command.folder;
  const bool is_lost = folder == "?" && !path.starts_with('/');
  if (is_lost) return std::nullopt;
  const Place place = place_of(path, path.starts_with('/') ? "" : folder, root);
  switch (place.kind) {
    case Place::Kind::inside: {
      const bool is_root = place.path == ".";
      if (is_root)
        return fmt::format("takes away the whole folder that is worked in: '{}'", word.text);
      if (place.path == ".git") return "takes away the repository's history: '.git'";
      return std::nullopt;
    }
    case Place::Kind::outside:
      if (is_temporary(place.path)) return std::nullopt;
      return fmt::format("takes away '{}', outside of the folder that is worked in", word.text);
    case Place::Kind::open: {
      // Without a root only what is nobody's own folder is sure to be outside.
      if (!place.path.starts_with('/')) return std::nullopt;
      const auto depth = std::count(place.path.begin(), place.path.end(), '/');
      constexpr std::array<std::string_view, 15> kSystem = {
          "/bin",  "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt",   "/proc",
          "/root", "/sbin", "/srv", "/sys", "/usr", "/var",   "/System"};
      for (const std::string_view system : kSystem) {
        const bool is_there = place.path == system ||
                              (place.path.starts_with(system) && place.path[system.size()] == '/');
        if (is_there && !is_temporary(place.path)) {
          return fmt::format("takes away '{}', of the system", word.text);
        }
      }
      if (depth <= 1 && place.path != "/tmp") return fmt::format("takes away '{}'", word.text);
      const bool is_a_home =
          depth == 2 && (place.path.starts_with("/home/") || place.path.starts_with("/Users/"));
      if (is_a_home) return fmt::format("takes away '{}', a home folder", word.text);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Reason of_rm(const Command& command, std::string_view root) {
  const bool is_recursive =
      command.has_flag('r', "--recursive") || command.has_flag('R', "--recursive");
  if (!is_recursive) return std::nullopt;
  if (command.has_flag(0, "--no-preserve-root")) return "rm --no-preserve-root";
  for (const Word& word : command.operands()) {
    if (auto reason = takes_away(word, command, root)) return reason;
  }
  return std::nullopt;
}

Reason of_find(const Command& command, std::string_view root) {
  const bool deletes = std::any_of(command.words.begin(), command.words.end(),
                                   [](const Word& word) { return word.text == "-delete"; });
  if (!deletes) return std::nullopt;
  bool narrows = false;
  for (const Word& word : command.words) {
    for (const std::string_view test : {"-name", "-iname", "-path", "-mtime", "-mmin", "-size",
                                        "-newer", "-regex", "-empty", "-user", "-type"}) {
      narrows = narrows || word.text == test;
    }
  }
  for (const Word& word : command.words) {
    if (word.text.starts_with('-') || word.text == "(" || word.text == "!") break;
    auto reason = takes_away(word, command, root);
    // `find . -name '*.o' -delete` takes away some of it.
    const bool is_inside =
        reason && place_of(word.text, command.folder, root).kind == Place::Kind::inside;
    if (reason && !(is_inside && narrows)) return reason;
  }
  return std::nullopt;
}

Reason of_git(const Command& command) {
  // The options before the verb: `git -C dir -c a=b push`.
  std::size_t verb = 0;
  while (verb < command.words.size() && command.words[verb].text.starts_with('-')) {
    const std::string& flag = command.words[verb].text;
    const bool has_value = flag == "-C" || flag == "-c" || flag == "--git-dir" ||
                           flag == "--work-tree" || flag == "--namespace";
    verb += has_value ? 2 : 1;
  }
  if (verb >= command.words.size() || command.words[verb].text != "push") return std::nullopt;
  Command push = command;
  push.words.erase(push.words.begin(), push.words.begin() + static_cast<std::ptrdiff_t>(verb) + 1);
  for (std::size_t i = 0; i < push.words.size(); ++i) {
    const std::string& word = push.words[i].text;
    if (word == "-o" || word == "--push-option" || word == "--repo" || word == "--receive-pack") {
      ++i;
      continue;
    }
    if (word == "--force") return "git push --force";
    if (word == "--mirror") return "git push --mirror";
    const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
    if (is_short && word.find('f') != std::string::npos && !word.starts_with("-o")) {
      return "git push -f";
    }
    if (word.size() > 1 && word.front() == '+') return fmt::format("git push {}", word);
    for (const std::string_view branch : {"main", "master", "trunk"}) {
      const bool has_colon = word.starts_with(':');
      const std::string_view target = std::string_view(word).substr(has_colon ? 1 : 0);
      const bool is_it = target == branch || target == fmt::format("refs/heads/{}", branch) ||
                         target == fmt::format("heads/{}", branch);
      if (is_it && (has_colon || push.has_flag('d', "--delete"))) {
        return fmt::format("takes the remote branch '{}' away", branch);
      }
    }
  }
  return std::nullopt;
}

Reason of_chmod(const Command& command) {
  if (!command.has_flag('R', "--recursive")) return std::nullopt;
  for (const Word& word : command.operands()) {
    const std::string& mode = word.text;
    const bool is_open = mode == "777" || mode == "0777" || mode == "1777" || mode == "a+rwx" ||
                         mode == "a=rwx" || mode == "ugo+rwx" || mode == "+rwx" || mode == "o+w" ||
                         mode == "a+w" || mode == "666" || mode == "0666" || mode == "ugo+w" ||
                         mode == "o+rwx";
    if (is_open) return fmt::format("lets everybody write: chmod -R {}", mode);
    break;  // The mode is the first of them.
  }
  return std::nullopt;
}

bool is_fetched(const std::vector<std::string>& programs) {
  return std::any_of(programs.begin(), programs.end(),
                     [](const std::string& name) { return is_in(kDownloaders, name); });
}

// A program from the network that is run unread.
Reason of_interpreter(const Command& command) {
  const bool is_fetched_itself =
      command.program.starts_with("$(") || command.program.starts_with('`');
  if (is_fetched_itself && is_fetched(command.fed_by)) {
    return "runs what it fetches from the network";
  }
  const bool reads_code = is_in(kInterpreters, command.program) || command.program == "eval" ||
                          command.program == "source" || command.program == ".";
  if (!reads_code || !is_fetched(command.fed_by)) return std::nullopt;
  // `curl … | python3 -c CODE`, `… | python3 -m json.tool`, `… | node script.js`: it is data there.
  const bool is_shell = command.program.ends_with("sh");
  if (!is_shell && command.program != "eval" && command.program != "source" &&
      command.program != ".") {
    for (const Word& word : command.words) {
      if (word.text != "-" && !word.text.starts_with("-u")) {
        const bool is_substituted = !word.is_certain;
        if (!is_substituted) return std::nullopt;
      }
    }
  }
  if (is_shell) {
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      const Word& word = command.words[i];
      if (word.text == "-s" || word.text == "-") break;
      if (word.text.starts_with('-')) continue;
      // A script of its own, to which what was fetched is input.
      if (word.is_certain) return std::nullopt;
      break;
    }
  }
  return fmt::format("runs what it fetches from the network: into {}", command.program);
}

// Code that starts programs, or takes folders away, in a language that is not read.
Reason of_code(const Command& command) {
  const std::string& name = command.program;
  const bool is_awk = name == "awk" || name == "gawk" || name == "mawk" || name == "nawk";
  const bool is_language = name.starts_with("python") || name == "perl" || name == "ruby" ||
                           name == "node" || name == "php";
  std::vector<Word> code;
  if (is_awk) {
    const Options given = options_of(command.words, {"fFv", "--file --assign --field-separator"});
    if (!given.operands.empty() && !given.has('f', "--file"))
      code.push_back(given.operands.front());
  } else if (is_language) {
    const OptionKinds kinds{name.starts_with("python") ? "cWXm" : "eEpr", "--eval --print"};
    for (const Option& option : options_of(command.words, kinds).options) {
      const bool is_module = option.name == "-m" || option.name == "-W" || option.name == "-X";
      if (option.value && !is_module) code.push_back(*option.value);
      if (is_module && name.starts_with("python")) break;
    }
    if (command.words.empty() || command.words.front().text == "-") code.push_back({command.input});
  }
  constexpr std::array<std::string_view, 16> kStarting = {
      "system(", "popen",      "subprocess", "rmtree", "child_process", "rmSync",
      "rm_rf",   "rm_r(",      "exec(",      "execv",  "execl",         "execFile",
      "spawn",   "shell_exec", "qx(",        "system "};
  for (const Word& text : code) {
    if (!text.is_certain) return fmt::format("nobody can tell which code '{}' runs", name);
    for (const std::string_view mark : kStarting) {
      if (text.text.find(mark) == std::string::npos) continue;
      return fmt::format("nobody can tell what code for '{}' does with '{}'", name, mark);
    }
  }
  return std::nullopt;
}

Reason of_sql_client(const Command& command) {
  std::string sql = command.input;
  for (const Word& word : command.words) sql += '\n' + word.text + ';';
  return sql_destroys(sql);
}

Reason of_cloud(const Command& command) {
  const auto is_verb = [&](std::initializer_list<std::string_view> verbs) {
    const std::vector<Word> words = command.operands();
    std::size_t i = 0;
    for (const std::string_view verb : verbs) {
      if (i >= words.size() || words[i].text != verb) return false;
      ++i;
    }
    return true;
  };
  const std::string& name = command.program;
  if ((name == "terraform" || name == "tofu") && is_verb({"destroy"})) return name + " destroy";
  if (name == "pulumi" && is_verb({"destroy"})) return "pulumi destroy";
  if (name == "gh" && is_verb({"repo", "delete"})) return "gh repo delete";
  if (name == "dropdb" && !command.operands().empty()) return "dropdb";
  if (name == "kubectl") {
    const std::vector<Word> words = command.operands();
    const bool is_space =
        words.size() > 1 &&
        (words[1].text == "ns" || words[1].text == "namespace" ||
         words[1].text.starts_with("namespace/") || words[1].text.starts_with("ns/"));
    if (is_verb({"delete"}) && (is_space || command.has_flag(0, "--all"))) {
      return "kubectl delete of a namespace, or of all";
    }
  }
  if (name == "aws" && is_verb({"s3", "rb"}) && command.has_flag(0, "--force")) {
    return "aws s3 rb --force";
  }
  if (name == "aws" && is_verb({"s3", "rm"}) && command.has_flag(0, "--recursive")) {
    return "aws s3 rm --recursive";
  }
  if (name == "redis-cli") {
    for (const Word& word : command.words) {
      const std::string small = store::lowered(word.text);
      if (small == "flushall" || small == "flushdb") return "redis-cli " + small;
    }
  }
  return std::nullopt;
}

// The words of a text of SQL, in capitals; `;` stands by itself.
std::vector<std::string> sql_words(std::string_view sql) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (c == '-' && i + 1 < sql.size() && sql[i + 1] == '-') {
      // A remark, or a flag of the client: `--command=…` goes on behind it.
      finish();
      const bool is_flag = i + 2 < sql.size() && sql[i + 2] >= 'a' && sql[i + 2] <= 'z' &&
                           (i == 0 || sql[i - 1] == '\n');
      const std::size_t end = sql.find_first_of(is_flag ? "=\n;" : "\n", i);
      i = std::min(end, sql.size());
      continue;
    }
    if (c == '/' && i + 1 < sql.size() && sql[i + 1] == '*') {
      finish();
      const std::size_t end = sql.find("*/", i + 2);
      i = end == std::string_view::npos ? sql.size() : end + 1;
      continue;
    }
    if (c == '\'') {
      finish();
      const std::size_t end = sql.find('\'', i + 1);
      i = end == std::string_view::npos ? sql.size() : end;
      words.emplace_back("''");
      continue;
    }
    const bool is_of_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '"' ||
                            c == '`' || (static_cast<unsigned char>(c) & 0x80U) != 0;
    if (is_of_word) {
      word += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      continue;
    }
    finish();
    if (c == ';') words.emplace_back(";");
  }
  finish();
  return words;
}

}  // namespace

Reason sql_destroys(std::string_view sql) {
  const std::vector<std::string> words = sql_words(sql);
  constexpr std::array<std::string_view, 5> kLasting = {"TABLE", "DATABASE", "SCHEMA", "KEYSPACE",
                                                        "TABLESPACE"};
  bool begins = true;  // A statement.
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
    const bool was_beginning = begins;
    begins = word == ";";
    if (!was_beginning) continue;
    if (word == "DROP" && is_in(kLasting, next)) return fmt::format("DROP {}", next);
    if (word == "TRUNCATE" && !next.empty() && next != ";") return "TRUNCATE";
    if (word == "DELETE" && next == "FROM") {
      std::size_t end = i;
      while (end < words.size() && words[end] != ";" && words[end] != "WHERE") ++end;
      const bool has_where = end < words.size() && words[end] == "WHERE";
      if (!has_where) return "DELETE without WHERE";
    }
  }
  return std::nullopt;
}

Reason may_destroy(const Command& command) {
  const std::string& name = command.program;
  const auto is_open = [](const Word& word) {
    return !word.is_certain && !is_temporary_by_name(word) && !is_cache(word.text) &&
           without_own_folder(word) == word;
  };
  const auto any_open = [&](const std::vector<Word>& words) {
    return std::any_of(words.begin(), words.end(), is_open);
  };
  if (name == "rm") {
    const bool is_deep =
        command.has_flag('r', "--recursive") || command.has_flag('R', "--recursive");
    const std::vector<Word> words = command.operands();
    for (const Word& word : words) {
      const bool is_lost =
          command.folder == "?" && !word.text.starts_with('/') && !is_temporary_by_name(word);
      const bool is_doubtful = is_deep && (is_open(word) || is_lost);
      if (is_doubtful)
        return fmt::format("nobody can tell what rm -r of '{}' takes away", word.text);
    }
    if (any_open(words) && !words.front().is_certain && words.size() > 1) {
      return fmt::format("nobody can tell what '{}' is, a flag or a file", words.front().text);
    }
  } else if (name == "find") {
    const bool deletes = std::any_of(command.words.begin(), command.words.end(),
                                     [](const Word& word) { return word.text == "-delete"; });
    if (deletes && any_open(command.words)) return "nobody can tell what find -delete takes away";
  } else if (name == "git") {
    for (const Word& word :
         options_of(command.words, {"Cc", "--git-dir --work-tree"}, true).values_of('c', "")) {
      if (word.text.starts_with("alias.")) return "nobody can tell what a new alias of git does";
    }
    const std::vector<Word> words = command.operands();
    const bool pushes = !words.empty() && words.front().text == "push";
    if (pushes && any_open(command.words)) return "nobody can tell what is pushed";
  } else if (name == "dd" || name == "chmod" || name == "mkfs" || name == "wipefs") {
    const bool writes = name != "chmod" || command.has_flag('R', "--recursive");
    if (writes && any_open(command.words)) {
      return fmt::format("nobody can tell what '{}' changes", command.text());
    }
  } else if (is_in(kSqlClients, name)) {
    const Options given = options_of(command.words, {"ce", "--command --execute"});
    if (any_open(given.values_of('c', "--command")) ||
        any_open(given.values_of('e', "--execute"))) {
      return "nobody can tell which SQL it is";
    }
  } else {
    return of_code(command);
  }
  return std::nullopt;
}

Reason destroys(const Command& command, std::string_view root) {
  for (const Redirect& redirect : command.redirects) {
    if (redirect.op != "<" && is_block_device(redirect.to.text)) {
      return fmt::format("writes to the device '{}'", redirect.to.text);
    }
  }
  const std::string& name = command.program;
  if (name == "rm") return of_rm(command, root);
  if (name == "find") return of_find(command, root);
  if (name == "git") return of_git(command);
  if (name == "chmod") return of_chmod(command);
  if (name == "mkfs" || name.starts_with("mkfs.") || name == "mke2fs" || name == "wipefs" ||
      name == "blkdiscard") {
    return command.operands().empty() ? std::nullopt : Reason(name + " makes a disk empty");
  }
  if (name == "dd") {
    for (const Word& word : command.words) {
      if (word.text.starts_with("of=") && is_block_device(word.text.substr(3))) {
        return fmt::format("writes to the device '{}'", word.text.substr(3));
      }
    }
    return std::nullopt;
  }
  if (name == "shred" || name == "tee" || name == "cp") {
    for (const Word& word : command.operands()) {
      const bool is_last = word == command.operands().back();
      if (is_block_device(word.text) && (name != "cp" || is_last)) {
        return fmt::format("writes to the device '{}'", word.text);
      }
    }
    return std::nullopt;
  }
  if (name == "shutdown" || name == "reboot" || name == "poweroff" || name == "halt") {
    return name + " of the machine";
  }
  if (name == "kill") {
    const std::vector<Word>& words = command.words;
    if (words.size() > 1 && words.back().text == "-1") return "kill of all processes";
    return std::nullopt;
  }
  if (is_in(kSqlClients, name)) return of_sql_client(command);
  if (auto reason = of_interpreter(command)) return reason;
  return of_cloud(command);
}

}  // namespace spoor::audit::check
