#include "audit/check/changes.h"

#include <algorithm>
#include <array>

#include "audit/check/options.h"
#include "store/words.h"
#include "trace/patch.h"

namespace spoor::audit::check {
namespace {

using store::is_in;
using Reach = Change::Reach;

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

// Programs whose operands are what they change; `after`: how many of the first are none; `last`:
// only the last one is, or the folder of `-t`.
struct Changer {
  std::string_view name;
  OptionKinds kinds;
  std::size_t after = 0;
  bool last = false;
};
constexpr std::array kChangers = {
    Changer{"rm", {}},
    Changer{"rmdir", {}},
    Changer{"unlink", {}},
    Changer{"mv", {"tS", "--target-directory --suffix"}},
    Changer{"tee", {}},
    Changer{"sponge", {}},
    Changer{"touch", {"drt", "--date --reference --time"}},
    Changer{"mkdir", {"m", "--mode"}},
    Changer{"mkfifo", {"m", "--mode"}},
    Changer{"truncate", {"sr", "--size --reference"}},
    Changer{"shred", {"ns", "--iterations --size --random-source"}},
    Changer{"chmod", {"", "--reference"}, 1},
    Changer{"chown", {"", "--reference --from"}, 1},
    Changer{"chgrp", {"", "--reference"}, 1},
    Changer{"setfacl", {"mxMX", "--modify --remove"}},
    Changer{"cp", {"tS", "--target-directory --suffix"}, 1, true},
    Changer{"ln", {"tS", "--target-directory --suffix"}, 1, true},
    Changer{"install", {"tSmog", "--target-directory --suffix --mode --owner --group"}, 1, true},
    Changer{
        "rsync", {"efBMT", "--rsh --filter --exclude --include --temp-dir --files-from"}, 1, true},
    Changer{"scp", {"cFiJloPSXD", ""}, 1, true},
    Changer{"gzip", {"S", "--suffix"}},
    Changer{"gunzip", {"S", "--suffix"}},
    Changer{"bzip2", {}},
    Changer{"bunzip2", {}},
    Changer{"xz", {"STM", "--suffix"}},
    Changer{"unxz", {"STM", "--suffix"}},
    Changer{"ed", {"p", "--prompt"}},
    Changer{"ex", {"ctuTUSV", ""}},
    Changer{"vi", {"ctuTUSsV", ""}},
    Changer{"vim", {"ctuTUSsV", ""}},
    Changer{"nvim", {"ctuSV", ""}},
    Changer{"nano", {}},
    Changer{"emacs", {"flq", "--eval --load"}},
    Changer{"dos2unix", {}},
    Changer{"unix2dos", {}},
};
// With which these write nothing, or to their output.
constexpr std::array<std::string_view, 6> kPackers = {"gzip",    "gunzip", "bzip2",
                                                      "bunzip2", "xz",     "unxz"};

constexpr OptionKinds kCurlFiles{
    "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    "--output --output-dir --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save "
    "--libcurl --hsts --alt-svc --data --data-raw --data-binary --data-urlencode --form --header "
    "--request --user --user-agent --referer --url --cookie --max-time --connect-timeout --retry "
    "--proxy --config --cacert --cert --key --write-out --range --upload-file --json"};
constexpr OptionKinds kWgetFiles{
    "eoaiBtTOwQPUlADRIX",
    "--output-document --directory-prefix --output-file --append-output --input-file --tries "
    "--timeout --wait --header --post-data --post-file --user-agent --level --accept --reject "
    "--method --body-data --limit-rate --user --password"};

class Collector {
 public:
  Collector(const Command& command, std::vector<Change>& to) : command_(command), to_(to) {}

  void add(const Word& given, Reach reach = Reach::itself) {
    if (given.text.empty()) return;
    const Word word = without_own_folder(given);
    if (is_temporary_by_name(word)) {
      to_.push_back({"/tmp/" + base_name(word.text), folder_, true});
      return;
    }
    to_.push_back({word.text, folder_, true, word.is_certain, word.is_pattern, reach});
  }
  void add_all(const std::vector<Word>& words, Reach reach = Reach::itself) {
    for (const Word& word : words) add(word, reach);
  }
  // What lies in a folder under the name that another path ends with.
  void add_in(const Word& folder, const Word& named, Reach reach = Reach::itself) {
    add({folder.text + '/' + base_name(named.text), folder.is_certain && named.is_certain,
         folder.is_pattern || named.is_pattern},
        reach);
  }
  // Something in the folder that it runs in.
  void add_some() { add({"."}, Reach::some); }

  void read() {
    for (const Redirect& redirect : command_.redirects) {
      if (redirect.op != "<") add(redirect.to);
    }
    const std::string& name = command_.program;
    const auto* changer = std::find_if(kChangers.begin(), kChangers.end(),
                                       [&](const Changer& c) { return c.name == name; });
    if (changer != kChangers.end()) return read_changer(*changer);
    if (name == "sed" || name == "gsed") return read_sed();
    if (name == "perl" || name == "ruby") return read_perl();
    if (name == "dd") {
      for (const Word& word : command_.words) {
        if (word.text.starts_with("of=")) add({word.text.substr(3), word.is_certain});
      }
    } else if (name == "sort") {
      add_all(options({"kotST", "--key --output --field-separator --buffer-size"})
                  .values_of('o', "--output"));
    } else if (name == "split") {
      const Options given = options({"abClnt", "--suffix-length --bytes --lines --number"});
      const Word prefix = given.operands.size() > 1 ? given.operands[1] : Word{"x"};
      add({prefix.text + '*', prefix.is_certain, true});
    } else if (name == "curl") {
      read_curl();
    } else if (name == "wget") {
      read_wget();
    } else if (name == "tar" || name == "gtar" || name == "bsdtar") {
      read_tar();
    } else if (name == "unzip") {
      const Options given = options({"dxP", ""});
      if (given.has('l', "") || given.has('t', "") || given.has('p', "")) return;
      const auto folders = given.values_of('d', "");
      folders.empty() ? add_some() : add_all(folders, Reach::some);
    } else if (name == "zip") {
      const Options given = options({"bitxPns", ""});
      if (!given.operands.empty()) add(given.operands.front());
    } else if (name == "cpio" || name == "7z" || name == "7za") {
      add_some();
    } else if (name == "git") {
      read_git();
    } else if (name == "apply_patch" || name == "applypatch" || name == "patch") {
      read_patch();
    }
  }

 private:
  Options options(const OptionKinds& kinds) const { return options_of(command_.words, kinds); }

  void read_changer(const Changer& changer) {
    const Options given = options(changer.kinds);
    const std::string& name = command_.program;
    if (is_in(kPackers, name) &&
        (given.has('c', "--stdout") || given.has('t', "--test") || given.has('l', "--list"))) {
      return;
    }
    const bool is_deep = given.has('r', "--recursive") || given.has('R', "--recursive") ||
                         given.has('a', "--archive");
    const std::vector<Word> into = given.values_of('t', "--target-directory");
    const bool moves = name == "mv";
    if (name == "install" && given.has('d', "--directory")) return add_all(given.operands);
    if (moves || changer.last) return read_moved(given, into, is_deep || name == "rsync");
    const bool has_reference = given.has(0, "--reference");
    const std::size_t after = has_reference ? 0 : changer.after;
    for (std::size_t i = after; i < given.operands.size(); ++i) {
      add(given.operands[i], is_deep ? Reach::beneath : Reach::itself);
    }
  }

  // `cp a b`, `mv a b dir`, `ln -s a b`
  void read_moved(const Options& given, const std::vector<Word>& into, bool is_deep) {
    const std::string& name = command_.program;
    std::vector<Word> from = given.operands;
    std::vector<Word> targets = into;
    if (targets.empty() && from.size() > 1) {
      targets.push_back(from.back());
      from.pop_back();
    } else if (targets.empty() && name == "ln") {
      targets.push_back({"."});
    }
    const bool is_remote = (name == "scp" || name == "rsync") && !targets.empty() &&
                           targets.front().text.find(':') < targets.front().text.find('/');
    for (const Word& source : from) {
      if (name == "mv") add(source, Reach::beneath);
      if (name == "ln") add(source, Reach::named);
    }
    if (is_remote) return;
    for (const Word& target : targets) {
      const bool is_here = target.text == "." || target.text == "./";
      if (!is_here) add(target, is_deep ? Reach::some : Reach::itself);
      for (const Word& source : from) {
        // A folder of this name takes them in.
        const bool is_folder = is_here || target.text.ends_with('/') || !into.empty() ||
                               from.size() > 1 || target.text.ends_with("..");
        if (is_folder) add_in(target, source, is_deep ? Reach::some : Reach::itself);
      }
    }
  }

  void read_sed() {
    const Options given = options({"efl", "--expression --file --line-length"});
    if (!given.has('i', "--in-place") && !given.has('I', "")) return;
    const bool has_script = given.has('e', "--expression") || given.has('f', "--file");
    for (std::size_t i = has_script ? 0 : 1; i < given.operands.size(); ++i) add(given.operands[i]);
  }

  void read_perl() {
    const Options given = options({"eEIMmCr", ""});
    if (!given.has('i', "")) return;
    const bool has_script = given.has('e', "") || given.has('E', "");
    for (std::size_t i = has_script ? 0 : 1; i < given.operands.size(); ++i) add(given.operands[i]);
  }

  void read_curl() {
    const Options given = options(kCurlFiles);
    const auto folders = given.values_of(0, "--output-dir");
    const auto put = [&](const Word& file) {
      if (file.text == "-") return;
      folders.empty() ? add(file) : add({folders.back().text + '/' + file.text, file.is_certain});
    };
    for (const Word& file : given.values_of('o', "--output")) put(file);
    for (const Option& option : given.options) {
      constexpr std::array<std::string_view, 10> kFiles = {
          "-D",       "--dump-header", "-c",          "--cookie-jar", "--trace",
          "--stderr", "--trace-ascii", "--etag-save", "--libcurl",    "--hsts"};
      if (option.value && is_in(kFiles, option.name) && option.value->text != "-") {
        add(*option.value);
      }
    }
    if (!given.has('O', "--remote-name") && !given.has(0, "--remote-name-all")) return;
    for (const Word& url : given.operands) put({base_name(url.text), url.is_certain});
    if (!folders.empty()) add_all(folders, Reach::some);
  }

  void read_wget() {
    const Options given = options(kWgetFiles);
    for (const Option& option : given.options) {
      constexpr std::array<std::string_view, 6> kFiles = {
          "-O", "--output-document", "-o", "-a", "--output-file", "--append-output"};
      if (option.value && is_in(kFiles, option.name) && option.value->text != "-") {
        add(*option.value);
      }
    }
    const bool is_elsewhere = given.has('O', "--output-document") || given.has(0, "--spider");
    if (is_elsewhere) return;
    const auto folders = given.values_of('P', "--directory-prefix");
    const Word folder = folders.empty() ? Word{"."} : folders.back();
    const bool is_many = given.has('r', "--recursive") || given.has('m', "--mirror") ||
                         given.has('i', "--input-file") || given.has('p', "--page-requisites");
    if (is_many || !folders.empty()) add(folder, Reach::some);
    for (const Word& url : given.operands) {
      const std::string name = base_name(url.text.substr(0, url.text.find_first_of("?#")));
      add_in(folder, {name, url.is_certain});
    }
  }

  void read_tar() {
    std::vector<Word> words = command_.words;
    // `tar xf a`: the first word is letters, with or without a dash.
    const bool is_bare = !words.empty() && !words.front().text.starts_with('-');
    if (is_bare) words.front().text.insert(0, "-");
    const OptionKinds kinds{"fCTXbgILNVHFK",
                            "--file --directory --files-from --exclude --exclude-from --strip"};
    const Options given = options_of(words, kinds);
    const bool extracts = given.has('x', "--extract") || given.has(0, "--get");
    const auto folders = given.values_of('C', "--directory");
    if (extracts) {
      if (given.has('O', "--to-stdout")) return;
      return folders.empty() ? add_some() : add_all(folders, Reach::some);
    }
    const bool makes = given.has('c', "--create") || given.has('r', "--append") ||
                       given.has('u', "--update") || given.has('A', "--concatenate");
    if (!makes) return;
    for (const Word& file : given.values_of('f', "--file")) {
      if (file.text != "-") add(file);
    }
  }

  void read_patch() {
    const Options given = options({"pdiorzBDFVY", "--strip --directory --input --output"});
    const auto folders = given.values_of('d', "--directory");
    if (!folders.empty()) {
      folder_ = folder_.empty() ? folders.back().text : folder_ + '/' + folders.back().text;
      if (!folders.back().is_certain) folder_ = "?";
    }
    add_all(given.values_of('o', "--output"));
    const bool is_patch = command_.program == "patch";
    if (is_patch && !given.operands.empty()) return add(given.operands.front());
    std::string patch = command_.input;
    for (const Word& word : command_.words) patch += '\n' + word.text;
    for (const std::string& path : trace::files_of_patch(patch)) add({path});
    const bool is_read = std::any_of(command_.redirects.begin(), command_.redirects.end(),
                                     [](const Redirect& r) { return r.op == "<"; });
    const bool is_hidden = is_read || !command_.is_input_known || given.has('i', "--input");
    if (is_patch && is_hidden && !given.has(0, "--dry-run")) add_some();
  }

  void read_git() {
    // The options before the verb: `git -C dir -c a=b checkout`.
    const Options before = options_of(
        command_.words, {"Cc", "--git-dir --work-tree --namespace --exec-path --config-env"}, true);
    for (const Word& to : before.values_of('C', "")) {
      const bool is_absolute = to.text.starts_with('/');
      folder_ = !to.is_certain                   ? "?"
                : is_absolute || folder_.empty() ? to.text
                                                 : folder_ + '/' + to.text;
    }
    if (before.operands.empty()) return;
    const std::string verb = before.operands.front().text;
    const std::vector<Word> words(before.operands.begin() + 1, before.operands.end());
    const auto has_dashes = std::find(words.begin(), words.end(), Word{"--"}) != words.end();
    const Options given = options_of(words, {"bBcCsmFoX", "--source --orphan --output --message"});
    const std::vector<Word>& operands = given.operands;
    constexpr std::array<std::string_view, 10> kTrees = {
        "am",     "merge",  "rebase",          "pull",  "cherry-pick",
        "revert", "bisect", "sparse-checkout", "clean", "submodule"};
    if (verb == "rm" || verb == "mv") {
      const bool is_there = !given.has(0, "--cached") && !given.has('n', "--dry-run");
      if (is_there) add_all(operands, Reach::beneath);
    } else if (verb == "restore") {
      const bool is_index = given.has('S', "--staged") && !given.has('W', "--worktree");
      if (!is_index) add_all(operands, Reach::some);
    } else if (verb == "checkout" && has_dashes) {
      const auto dashes = std::find(words.begin(), words.end(), Word{"--"});
      add_all({dashes + 1, words.end()}, Reach::some);
    } else if (verb == "checkout" || verb == "switch") {
      const bool makes = given.has('b', "") || given.has('B', "") || given.has('c', "--create") ||
                         given.has('C', "--force-create") || given.has(0, "--orphan");
      if (operands.size() > 1 && verb == "checkout" && !makes) {
        add(operands.front(), Reach::named);
        add_all({operands.begin() + 1, operands.end()}, Reach::some);
      } else if (!operands.empty()) {
        add_some();
      }
    } else if (verb == "reset") {
      const bool is_hard =
          given.has(0, "--hard") || given.has(0, "--merge") || given.has(0, "--keep");
      if (is_hard) add_some();
    } else if (verb == "apply") {
      const bool only_looks =
          given.has(0, "--check") || given.has(0, "--stat") || given.has(0, "--numstat");
      const auto files = trace::files_of_patch(command_.input);
      for (const std::string& path : files) add({path});
      if (!only_looks && (files.empty() || !command_.is_input_known)) add_some();
    } else if (verb == "stash") {
      constexpr std::array<std::string_view, 5> kQuiet = {"list", "show", "drop", "clear",
                                                          "create"};
      if (operands.empty() || !is_in(kQuiet, operands.front().text)) add_some();
    } else if (verb == "submodule" || verb == "bisect") {
      constexpr std::array<std::string_view, 5> kQuiet = {"status", "summary", "log", "view",
                                                          "foreach"};
      if (!operands.empty() && !is_in(kQuiet, operands.front().text)) add_some();
    } else if (verb == "clean") {
      if (!given.has('n', "--dry-run")) add_some();
    } else if (is_in(kTrees, verb)) {
      add_some();
    } else if (verb == "clone") {
      if (operands.size() > 1) add(operands.back(), Reach::beneath);
      if (operands.size() == 1) add_in({"."}, operands.front(), Reach::beneath);
    } else if (verb == "init") {
      add_all(operands, Reach::beneath);
    } else if (verb == "worktree") {
      if (operands.size() > 1 && operands.front().text != "list") add(operands[1], Reach::beneath);
    } else if (verb == "archive" || verb == "format-patch") {
      add_all(given.values_of('o', "--output"), Reach::some);
    } else if (verb == "diff" || verb == "log" || verb == "show") {
      add_all(given.values_of(0, "--output"));
    }
  }

  const Command& command_;
  std::vector<Change>& to_;
  std::string folder_ = command_.folder;
};

}  // namespace

void add_changes_of(const Command& command, std::vector<Change>& to) {
  Collector(command, to).read();
}

Word without_own_folder(const Word& word) {
  for (const std::string_view own : {"$PWD", "${PWD}", "$(pwd)", "`pwd`"}) {
    const std::string_view text = word.text;
    if (!text.starts_with(own)) continue;
    const std::string_view rest = text.substr(own.size());
    const bool is_path = rest.empty() || rest.starts_with('/');
    if (!is_path || rest.find_first_of("$`") != std::string_view::npos) continue;
    return {"." + std::string(rest), true, word.is_pattern};
  }
  return word;
}

bool is_temporary_by_name(const Word& word) {
  const std::string_view text = word.text;
  for (const std::string_view name :
       {"$TMPDIR", "${TMPDIR}", "${TMPDIR:-/tmp}", "$TMP", "${TMP}", "${TMP:-/tmp}", "$TEMP",
        "${TEMP}", "$(mktemp)", "$(mktemp -d)", "`mktemp`", "`mktemp -d`"}) {
    if (!text.starts_with(name)) continue;
    const std::string_view rest = text.substr(name.size());
    const bool is_path = rest.empty() || rest.starts_with('/');
    const bool goes_up = rest.find("..") != std::string_view::npos;
    if (is_path && !goes_up && rest.find_first_of("$`") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace spoor::audit::check
