#include "guard/check/destructive.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "guard/check/paths.h"

namespace spoor::guard::check {
namespace {

using Reason = std::optional<std::string>;

constexpr std::array<std::string_view, 11> kInterpreters = {
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node"};
constexpr std::array<std::string_view, 3> kDownloaders = {"curl", "wget", "fetch"};

bool is_temporary(std::string_view path) {
  for (const std::string_view folder : {"/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

bool is_home(std::string_view path) {
  for (const std::string_view home : {"~", "$HOME", "${HOME}"}) {
    if (is_at_or_below(path, home)) return true;
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

// Returns true for a cache folder, whose files programs can make again.
bool is_cache(std::string_view path) {
  for (const std::string_view cache : {"~/.cache/", "$HOME/.cache/", "${HOME}/.cache/"}) {
    const bool has_name = path.starts_with(cache) && path.size() > cache.size();
    if (has_name && path.find_first_of("*.$`", cache.size()) == std::string_view::npos) return true;
  }
  return false;
}

// Returns why deleting everything below a path destroys.
Reason takes_away(const Word& given, const Command& command, std::string_view root) {
  const Word word = without_own_folder(given);
  std::string path = word.text;
  if (is_cache(path)) return std::nullopt;
  // `dir/*` means all of `dir`.
  const bool is_all = path == "*" || path.ends_with("/*") || path == ".*";
  if (is_home(path)) return fmt::format("takes away '{}', in the home folder", word.text);
  if (is_all) path.erase(path.size() - (path.ends_with("/*") ? 2 : path.size()));
  if (is_all && path.empty()) path = word.text.starts_with('/') ? "/" : ".";
  const std::string_view folder = command.folder;
  const bool is_lost = folder == "?" && !path.starts_with('/');
  if (is_lost) return std::nullopt;
  const Location location = locate(path, path.starts_with('/') ? "" : folder, root);
  switch (location.kind) {
    case Location::Kind::inside: {
      const bool is_root = location.path == ".";
      if (is_root)
        return fmt::format("takes away the whole folder that is worked in: '{}'", word.text);
      if (location.path == ".git") return "takes away the repository's history: '.git'";
      return std::nullopt;
    }
    case Location::Kind::outside:
      if (is_temporary(location.path)) return std::nullopt;
      return fmt::format("takes away '{}', outside of the folder that is worked in", word.text);
    case Location::Kind::open: {
      // Without a root, only a folder that belongs to no user is certainly outside.
      if (!location.path.starts_with('/')) return std::nullopt;
      const auto depth = std::count(location.path.begin(), location.path.end(), '/');
      constexpr std::array<std::string_view, 15> kSystem = {
          "/bin",  "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt",   "/proc",
          "/root", "/sbin", "/srv", "/sys", "/usr", "/var",   "/System"};
      for (const std::string_view system : kSystem) {
        if (is_at_or_below(location.path, system) && !is_temporary(location.path)) {
          return fmt::format("takes away '{}', of the system", word.text);
        }
      }
      if (depth <= 1 && location.path != "/tmp") return fmt::format("takes away '{}'", word.text);
      const bool is_a_home = depth == 2 && (location.path.starts_with("/home/") ||
                                            location.path.starts_with("/Users/"));
      if (is_a_home) return fmt::format("takes away '{}', a home folder", word.text);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool is_recursive(const Command& command) {
  return command.has_flag('r', "--recursive") || command.has_flag('R', "--recursive");
}

// Returns true for `find -delete`, and for `find` that starts a program which deletes files.
bool deletes(const Command& command) {
  const std::vector<Word>& words = command.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text == "-delete") return true;
    const bool runs = words[i].text.starts_with("-exec") && i + 1 < words.size();
    const std::string program = runs ? base_name(words[i + 1].text) : "";
    if (program == "rm" || program == "shred" || program == "unlink") return true;
  }
  return false;
}

Reason of_rm(const Command& command, std::string_view root) {
  if (!is_recursive(command)) return std::nullopt;
  if (command.has_flag(0, "--no-preserve-root")) return "rm --no-preserve-root";
  for (const Word& word : command.operands()) {
    if (auto reason = takes_away(word, command, root)) return reason;
  }
  return std::nullopt;
}

Reason of_find(const Command& command, std::string_view root) {
  if (!deletes(command)) return std::nullopt;
  bool narrows = false;
  for (const Word& word : command.words) {
    if (word.text.find(".git/") != std::string::npos || word.text == ".git") {
      return fmt::format("takes away the repository's history: '{}'", word.text);
    }
  }
  for (const Word& word : command.words) {
    for (const std::string_view test : {"-name", "-iname", "-path", "-mtime", "-mmin", "-size",
                                        "-newer", "-regex", "-empty", "-user"}) {
      narrows = narrows || word.text == test;
    }
  }
  std::vector<Word> starts = starts_of_find(command.words);
  if (starts.empty()) starts.push_back({"."});
  for (const Word& word : starts) {
    auto reason = takes_away(word, command, root);
    // `find . -name '*.o' -delete` deletes only a part of it.
    const bool is_inside =
        reason && locate(word.text, command.folder, root).kind == Location::Kind::inside;
    if (reason && !(is_inside && narrows)) return reason;
  }
  return std::nullopt;
}

// Handles `rsync --delete a/ b/`, which deletes from the target what is not in the source.
Reason of_rsync(const Command& command, std::string_view root) {
  const bool takes = std::any_of(command.words.begin(), command.words.end(),
                                 [](const Word& word) { return word.text.starts_with("--del"); });
  const std::vector<Word> operands = command.operands();
  if (!takes || operands.empty() || operands.back().text.find(':') != std::string::npos) {
    return std::nullopt;
  }
  return takes_away(operands.back(), command, root);
}

bool is_main_branch(std::string_view ref) {
  for (const std::string_view before : {"refs/heads/", "heads/"}) {
    if (ref.starts_with(before)) ref.remove_prefix(before.size());
  }
  return ref == "main" || ref == "master" || ref == "trunk";
}

Reason of_git(const Command& command) {
  // Skips the options before the verb: `git -C dir -c a=b push`.
  std::size_t verb = 0;
  while (verb < command.words.size() && command.words[verb].text.starts_with('-')) {
    const std::string& flag = command.words[verb].text;
    const bool has_value = flag == "-C" || flag == "-c" || flag == "--git-dir" ||
                           flag == "--work-tree" || flag == "--namespace";
    verb += has_value ? 2 : 1;
  }
  if (verb >= command.words.size()) return std::nullopt;
  const std::string name = command.words[verb].text;
  Command push = command;
  push.words.erase(push.words.begin(), push.words.begin() + static_cast<std::ptrdiff_t>(verb) + 1);
  if (name == "update-ref" && push.has_flag('d', "")) return "git update-ref -d";
  const bool takes_branch =
      name == "branch" && (push.has_flag('D', "") || push.has_flag('d', "--delete"));
  if (takes_branch) {
    for (const Word& word : push.operands()) {
      if (is_main_branch(word.text)) return fmt::format("takes the branch '{}' away", word.text);
    }
  }
  if (name != "push") return std::nullopt;
  for (std::size_t i = 0; i < push.words.size(); ++i) {
    const std::string& word = push.words[i].text;
    if (word == "-o" || word == "--push-option" || word == "--repo" || word == "--receive-pack") {
      ++i;
      continue;
    }
    if (word == "--force") return "git push --force";
    if (word == "--mirror" || word == "--prune") return "git push " + word;
    const bool is_short = word.size() > 1 && word[0] == '-' && word[1] != '-';
    if (is_short && word.find('f') != std::string::npos && !word.starts_with("-o")) {
      return "git push -f";
    }
    if (word.size() > 1 && word.front() == '+') return fmt::format("git push {}", word);
    const bool has_colon = word.starts_with(':');
    const std::string target = word.substr(has_colon ? 1 : 0);
    if (is_main_branch(target) && (has_colon || push.has_flag('d', "--delete"))) {
      return fmt::format("takes the remote branch '{}' away", target);
    }
  }
  return std::nullopt;
}

Reason of_chmod(const Command& command) {
  for (const Word& word : command.operands()) {
    const std::string& mode = word.text;
    const bool gives_rights = mode.find_first_of("+=") < mode.find('s') &&
                              mode.find('s') != std::string::npos &&
                              mode.find('/') == std::string::npos;
    const bool is_number = mode.find_first_not_of("01234567") == std::string::npos;
    if (gives_rights || (is_number && mode.size() == 4 &&
                         std::string_view("246").find(mode[0]) != std::string_view::npos)) {
      return fmt::format("gives a program the rights of its owner: chmod {}", mode);
    }
    if (!command.has_flag('R', "--recursive")) return std::nullopt;
    const bool is_open = mode == "777" || mode == "0777" || mode == "1777" || mode == "a+rwx" ||
                         mode == "a=rwx" || mode == "ugo+rwx" || mode == "+rwx" || mode == "o+w" ||
                         mode == "a+w" || mode == "666" || mode == "0666" || mode == "ugo+w" ||
                         mode == "o+rwx";
    if (is_open) return fmt::format("lets everybody write: chmod -R {}", mode);
    break;  // The mode is the first operand.
  }
  return std::nullopt;
}

bool is_fetched(const std::vector<std::string>& programs) {
  return std::any_of(programs.begin(), programs.end(),
                     [](const std::string& name) { return is_in(kDownloaders, name); });
}

// Returns why running an unread program from the network destroys.
Reason of_interpreter(const Command& command) {
  const bool is_fetched_itself =
      command.program.starts_with("$(") || command.program.starts_with('`');
  if (is_fetched_itself && is_fetched(command.fed_by)) {
    return "runs what it fetches from the network";
  }
  const bool reads_code = is_in(kInterpreters, command.program) || command.program == "eval" ||
                          command.program == "source" || command.program == ".";
  if (!reads_code || !is_fetched(command.fed_by)) return std::nullopt;
  // In `curl … | python3 -c CODE`, `… | python3 -m json.tool`, `… | node script.js` the input is
  // data.
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
      // It runs its own script, with the fetched text as input.
      if (word.is_certain) return std::nullopt;
      break;
    }
  }
  return fmt::format("runs what it fetches from the network: into {}", command.program);
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
  const bool is_compose =
      name == "docker-compose" || ((name == "docker" || name == "podman") && is_verb({"compose"}));
  if (is_compose) {
    const auto down = std::find(command.words.begin(), command.words.end(), Word{"down"});
    Command rest = command;
    rest.words.assign(down, command.words.end());
    const bool takes_data = rest.has_flag('v', "--volumes");
    if (takes_data) return "docker compose down -v, which takes the data of volumes away";
  }
  if (name == "redis-cli") {
    for (const Word& word : command.words) {
      const std::string small = lowered(word.text);
      if (small == "flushall" || small == "flushdb") return "redis-cli " + small;
    }
  }
  return std::nullopt;
}

}  // namespace

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
    const std::vector<Word> words = command.operands();
    for (const Word& word : words) {
      const bool is_lost =
          command.folder == "?" && !word.text.starts_with('/') && !is_temporary_by_name(word);
      const bool is_doubtful = is_recursive(command) && (is_open(word) || is_lost);
      if (is_doubtful) return fmt::format("it is unclear what rm -r of '{}' takes away", word.text);
    }
    if (any_open(words) && !words.front().is_certain && words.size() > 1) {
      return fmt::format("it is unclear what '{}' is, a flag or a file", words.front().text);
    }
    return std::nullopt;
  }
  const bool is_push =
      name == "git" && !command.operands().empty() && command.operands().front().text == "push";
  const bool writes =
      name == "dd" || name == "find" || is_push || (name == "chmod" && is_recursive(command));
  const bool acts = name != "find" || deletes(command);
  if (writes && acts && any_open(command.words)) {
    return fmt::format("it is unclear what '{}' changes", command.text());
  }
  return std::nullopt;
}

namespace {

// Returns true for the root of the machine, a home folder, or a folder of home folders.
bool holds_homes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const bool is_beneath_homes = path.starts_with("/home/") || path.starts_with("/Users/");
  const bool is_home = is_beneath_homes && std::count(path.begin(), path.end(), '/') == 2;
  return is_home ||
         is_in(std::array{"/", "~", "$HOME", "${HOME}", "/home", "/Users", "/var"}, path);
}

}  // namespace

Reason takes_over(const Change& change, std::string_view root) {
  if (change.reach == Change::Reach::named) return std::nullopt;
  const Location location = locate(change.path, change.folder, root);
  if (is_block_device(location.path))
    return fmt::format("writes to the device '{}'", location.path);
  const bool is_deep = change.reach != Change::Reach::itself;
  if (is_deep && location.kind != Location::Kind::inside && holds_homes(location.path)) {
    return fmt::format("changes what lies in '{}': programs are started from there", location.path);
  }
  if (location.kind == Location::Kind::inside) {
    const bool may_be = change.is_pattern && likely_anywhere(".git", location.path) == Likely::yes;
    const bool is_git = may_be || is_at_or_below(location.path, ".git") ||
                        location.path.find("/.git/") != std::string::npos;
    if (is_git) return fmt::format("changes '{}', which git obeys", location.path);
    return std::nullopt;
  }
  for (const std::string_view name : {"/.bashrc",
                                      "/.bash_profile",
                                      "/.bash_login",
                                      "/.bash_logout",
                                      "/.bash_aliases",
                                      "/.profile",
                                      "/.zshrc",
                                      "/.zshenv",
                                      "/.zprofile",
                                      "/.zlogin",
                                      "/.inputrc",
                                      "/.ssh",
                                      "/.gnupg",
                                      "/.gitconfig",
                                      "/.config/git",
                                      "/.config/fish",
                                      "/.config/autostart",
                                      "/.config/systemd",
                                      "/.local/bin",
                                      "/.npmrc",
                                      "/.pypirc",
                                      "/.netrc",
                                      "/.aws",
                                      "/.kube",
                                      "/.docker",
                                      "/.vimrc",
                                      "/.pip",
                                      "/.config/pip",
                                      "/.cargo/config",
                                      "/.cargo/bin",
                                      "/.git/hooks",
                                      "/.git/config",
                                      "/Library/LaunchAgents",
                                      "/.emacs",
                                      "/.pam_environment"}) {
    const std::size_t at = location.path.find(name);
    if (at == std::string::npos) continue;
    const char behind =
        at + name.size() < location.path.size() ? location.path[at + name.size()] : '/';
    if (behind == '/' || behind == '.') {
      return fmt::format("changes '{}', which starts programs or holds keys", location.path);
    }
  }
  for (const std::string_view system :
       {"/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/root", "/sbin", "/usr", "/proc",
        "/sys", "/var/spool", "/var/lib", "/System", "/Library", "/run", "/var/run"}) {
    if (is_at_or_below(location.path, system))
      return fmt::format("changes '{}', which is the system's", location.path);
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
  if (name == "rsync") return of_rsync(command, root);
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
    const bool is_first = std::any_of(words.begin(), words.end(), [&](const Word& word) {
      return word.text == "1" && (&word == words.data() || (&word)[-1].text != "-s");
    });
    if (is_first) return "kill of the first process, which all others depend on";
    return std::nullopt;
  }
  if (auto reason = of_interpreter(command)) return reason;
  return of_cloud(command);
}

}  // namespace spoor::guard::check
