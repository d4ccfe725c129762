#include "api/file_history.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "api/each_call.h"
#include "compile/facts_view.h"
#include "store/sha256.h"
#include "trace/edits.h"
#include "trace/tool_call.h"

namespace spoor::api {
namespace {

namespace fs = std::filesystem;

constexpr int kFilesVersion = 1;         // Version of SessionFiles in the cache.
constexpr std::size_t kMostNamed = 500;  // Names in the commands of one session.

// The files of a session.
struct SessionFiles {
  std::vector<std::string> edited;  // Paths, absolute where the session has its folder.
  std::vector<std::string> named;   // Last parts of paths, in commands that may write.

  template <class Visit>
  static void members(Visit&& visit) {
    visit("edited", &SessionFiles::edited, "paths of the files it edited");
    visit("named", &SessionFiles::named, "names in its commands");
  }
};

// Returns the folder that a call was made in; empty if no turn of it has one.
Result<std::string> folder_of(const trace::Call& call, const store::Reader& reader) {
  compile::FactsView facts;
  if (call.result) {
    TRY(facts.read(call.result->commit->meta));
    if (std::string folder = facts.get(fact::cwd); !folder.empty()) return folder;
  }
  if (!call.answer) return std::string();
  const auto answer = TRY(reader.commit(*call.answer));
  TRY(facts.read(answer->meta));
  return facts.get(fact::cwd);
}

std::string absolute(const std::string& path, const std::string& folder) {
  return (fs::path(folder) / path).lexically_normal().string();
}

// Returns true for a command that may write a file which it names.
bool may_write(std::string_view script) {
  constexpr std::array<std::string_view, 16> kSigns = {
      ">",   " -i",   " -w",     "tee ",   "mv ", "cp ",    "patch", "apply",
      "-c ", "--fix", "--write", "black ", "fmt", "format", "<<",    "perl "};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return script.find(sign) != std::string_view::npos; });
}

// Calls `visit` with the last part of each word of a command that looks like a path.
template <class Visit>
void each_name(std::string_view script, Visit&& visit) {
  constexpr std::string_view kBetween = " \t\r\n'\"`=;()<>|&,$[]{}:*";
  while (!script.empty()) {
    const std::size_t end = std::min(script.find_first_of(kBetween), script.size());
    std::string_view word = script.substr(0, end);
    word.remove_prefix(word.rfind('/') + 1);  // npos + 1 is 0.
    constexpr std::size_t kLongest = 100;
    if (word.size() > 1 && word.size() < kLongest) visit(word);
    script.remove_prefix(std::min(end + 1, script.size()));
  }
}

std::vector<std::string> writing_scripts(const trace::Call& call) {
  if (!call.result || call.outcome == trace::Outcome::refused) return {};
  const trace::ToolCallRead read = trace::read_tool_call(call.tool, call.asked.arguments);
  std::vector<std::string> scripts = read.scripts;
  for (const auto& argv : read.argvs) {
    std::string line;
    for (const std::string& word : argv) line += word + ' ';
    scripts.push_back(std::move(line));
  }
  std::erase_if(scripts, [](const std::string& script) { return !may_write(script); });
  return scripts;
}

// Returns the files of a session, from the store's cache if they are there.
Result<SessionFiles> files_of(const Context& context, const Session& session) {
  const store::Reader& reader = context.workspace.repository().reader();
  std::string text;
  for (const SessionLine& line : session.lines) text += line.head.hex() + '\n';
  for (const Oid& head : session.shared) text += "without " + head.hex() + '\n';
  const std::string key = fmt::format("files/{}/{}", kFilesVersion, store::sha256(text).hex());
  const store::KeptCache& cache = context.workspace.repository().kept_cache();
  SessionFiles files;
  if (const auto kept = cache.find(key)) {
    const auto document = json::parse(*kept);
    if (document && deserialize(document.value().root(), files)) return files;
  }
  std::set<std::string> edited, named;
  TRY(each_call(context, session, [&](const trace::Call& call, const auto&) -> Result<void> {
    for (const trace::Edit& edit : TRY(trace::edits_of(reader, call))) {
      edited.insert(absolute(edit.path, TRY(folder_of(call, reader))));
    }
    for (const std::string& script : writing_scripts(call)) {
      each_name(script, [&](std::string_view name) {
        if (named.size() < kMostNamed) named.emplace(name);
      });
    }
    return {};
  }));
  files = {{edited.begin(), edited.end()}, {named.begin(), named.end()}};
  JsonWriter json(true);
  serialize(json, files);
  cache.put(key, json.take_value());
  return files;
}

class EditFinder {
 public:
  EditFinder(const Context& context, const WantedFile& file)
      : context_(context), reader_(context.workspace.repository().reader()), file_(file) {
    for (std::size_t i = 0; i < file.folders.size(); ++i) places_.emplace(file.folders[i], i);
  }

  Result<std::vector<FileEditFound>> run() {
    for (const Session& session : TRY(list_sessions(context_))) {
      if (names_file(TRY(files_of(context_, session)))) TRY(read(session));
    }
    place_commands();
    std::ranges::stable_sort(
        found_, {}, [](const FileEditFound& edit) { return edit.time ? edit.time->micros : 0; });
    return std::move(found_);
  }

 private:
  bool names_file(const SessionFiles& files) {
    const auto is_wanted = [&](const std::string& path) { return folder_in(path).has_value(); };
    if (std::ranges::any_of(files.edited, is_wanted)) return true;
    return std::ranges::any_of(file_.names, [&](const std::string& name) {
      return std::ranges::find(files.named, fs::path(name).filename().string()) !=
             files.named.end();
    });
  }

  // Returns the folder of the project that contains the path, also where a link leads there;
  // nullopt if it is another file.
  std::optional<std::string> folder_in(const std::string& path) {
    if (const auto folder = folder_in_name(path)) return folder;
    const std::string real = real_path(path);
    return real == path ? std::nullopt : folder_in_name(real);
  }

  // Returns the file that a path leads to; the path itself where there is none.
  std::string real_path(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (!path.starts_with('/') || slash == 0) return path;
    std::error_code problem;
    if (fs::is_symlink(path, problem)) {
      const fs::path real = fs::canonical(path, problem);
      return problem ? path : real.string();
    }
    const auto [folder, is_new] = real_folders_.try_emplace(path.substr(0, slash));
    if (is_new) {
      const fs::path real = fs::canonical(folder->first, problem);
      folder->second = problem ? folder->first : real.string();
    }
    return folder->second + path.substr(slash);
  }

  std::optional<std::string> folder_in_name(const std::string& path) const {
    for (const std::string& name : file_.names) {
      const std::string end = "/" + name;
      if (!path.ends_with(end)) continue;
      std::string folder = path.substr(0, path.size() - end.size());
      if (is_known(folder) || is_gone(folder)) return folder;
    }
    return std::nullopt;
  }

  bool is_known(const std::string& folder) const {
    return std::ranges::find(file_.folders, folder) != file_.folders.end() ||
           fs::path(folder).filename() == fs::path(file_.folders.front()).filename();
  }

  static bool is_gone(const std::string& folder) {
    std::error_code problem;
    return folder.starts_with('/') && !fs::exists(folder, problem) && !problem;
  }

  // Returns the folder of the project that contains a working folder.
  std::optional<std::string> folder_around(std::string folder) const {
    while (true) {
      if (places_.contains(folder) || is_known(folder)) return folder;
      const std::size_t slash = folder.rfind('/');
      if (slash == std::string::npos || slash == 0) return std::nullopt;
      folder.resize(slash);
    }
  }

  void put_into(const std::string& folder, FileEditFound& edit) {
    edit.place = places_.emplace(folder, places_.size()).first->second;
    edit.is_of_gone = !is_known(folder);
  }

  Result<void> read(const Session& session) {
    return each_call(context_, session,
                     [&](const trace::Call& call,
                         const std::optional<store::NamedCommit>& request) -> Result<void> {
                       const std::string working = TRY(folder_of(call, reader_));
                       for (const trace::Edit& edit : TRY(trace::edits_of(reader_, call))) {
                         const auto folder = folder_in(absolute(edit.path, working));
                         if (!folder) continue;
                         add(session, call, request);
                         put_into(*folder, found_.back());
                         found_.back().change = TRY(trace::change_of(reader_, call, edit.path));
                       }
                       if (writes(call)) {
                         add(session, call, request);
                         found_.back().is_command = true;
                         commands_.emplace_back(found_.size() - 1, working);
                       }
                       return {};
                     });
  }

  // Gives each command the folder around the one that it ran in, which a later edit may have shown
  // to be one of the project; drops those of other projects.
  void place_commands() {
    std::set<std::size_t> strange;
    for (const auto& [at, working] : commands_) {
      const auto folder = folder_around(working);
      if (folder) {
        put_into(*folder, found_[at]);
      } else {
        strange.insert(at);
      }
    }
    std::vector<FileEditFound> kept;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!strange.contains(i)) kept.push_back(std::move(found_[i]));
    }
    found_ = std::move(kept);
  }

  bool writes(const trace::Call& call) const {
    bool is_named = false;
    for (const std::string& script : writing_scripts(call)) {
      each_name(script, [&](std::string_view word) {
        for (const std::string& name : file_.names) {
          is_named = is_named || word == fs::path(name).filename().string();
        }
      });
    }
    return is_named;
  }

  void add(const Session& session, const trace::Call& call,
           const std::optional<store::NamedCommit>& request) {
    FileEditFound edit{.session = session.number, .branch = session.name(), .agent = session.agent};
    edit.tool = call.tool;
    edit.time = call.result ? call.result->commit->time : call.started;
    edit.answer = call.answer;
    if (call.result) edit.result = call.result->oid;
    edit.request = request;
    edit.reason = call.asked.reason;
    found_.push_back(std::move(edit));
  }

  const Context& context_;
  const store::Reader& reader_;
  const WantedFile& file_;
  std::map<std::string, std::size_t> places_;        // Folders to their numbers.
  std::map<std::string, std::string> real_folders_;  // Folders without links, by their names.
  std::vector<FileEditFound> found_;
  std::vector<std::pair<std::size_t, std::string>> commands_;  // In found_, with working folders.
};

}  // namespace

Result<WantedFile> find_edited_file(const Context& context, std::string_view path) {
  std::optional<std::pair<std::string, std::string>> found;  // The path, and the project.
  const std::string end = "/" + std::string(path);
  for (const Session& session : TRY(list_sessions(context))) {
    for (const std::string& edited : TRY(files_of(context, session)).edited) {
      const bool is_same = edited == path;
      if (is_same || (!found && edited.ends_with(end)))
        found.emplace(edited, session.facts.project);
      if (is_same) break;
    }
    if (found && found->first == path) break;
  }
  if (!found) return not_found(fmt::format("no session edited '{}'", path), "see 'spoor calls'");
  const auto& [whole, project] = *found;
  if (!project.empty() && whole.starts_with(project + "/")) {
    return WantedFile{{whole.substr(project.size() + 1)}, {project}};
  }
  const fs::path file(whole);
  return WantedFile{{file.filename().string()}, {file.parent_path().string()}};
}

Result<std::vector<FileEditFound>> find_file_edits(const Context& context, const WantedFile& file) {
  return EditFinder(context, file).run();
}

}  // namespace spoor::api
