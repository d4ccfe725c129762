#include "api/workspace.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "store/operation.h"
#include "store/sha256.h"

namespace spoor::api {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMain = "main";
constexpr std::string_view kHead = "HEAD";
constexpr std::string_view kPreviousHead = "HEAD.previous";
constexpr std::string_view kHeadMoves =
    "HEAD.moves";  // `OPERATION TAB FROM TAB TO LF`, oldest first
constexpr std::size_t kKeptMoves = 64;
// The ends of the keys of folders whose HEAD was ever detached, one a line: gc keeps what they
// name.
constexpr std::string_view kDetachedFolders = "HEAD.detached";

// The key of the fact that a folder has taken this name for its branch, which may have no commit
// yet.
std::string taken_key(const std::string& branch) { return "HEAD.taken@" + branch; }

// Returns a branch name for the folder, whose name is usually a valid branch name.
std::string branch_name(const std::string& folder) {
  std::string name = fs::path(folder).filename().string();
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (!is_plain) c = '-';
  }
  const bool is_sound = !name.empty() && store::ref_name_problem(store::branch_ref(name)).empty();
  return is_sound ? name : std::string(kMain);
}

}  // namespace

Workspace::Workspace(std::unique_ptr<Repository> repository, std::string path, std::string folder,
                     std::string files)
    : repository_(std::move(repository)),
      path_(std::move(path)),
      files_(files.empty() ? path_ : std::move(files)),
      folder_(std::move(folder)) {}

// If each folder has its own HEAD, the keys of its facts contain the folder's hash.
std::string Workspace::key_of(std::string_view fact) const {
  constexpr std::size_t kDigits = 16;
  if (folder_.empty()) return std::string(fact);
  return fmt::format("{}@{}", fact, store::sha256(folder_).hex(kDigits));
}

// Returns the folder's name, with a number if it is another's: of a branch that is there already,
// or taken by another folder.
Result<std::string> Workspace::first_branch() const {
  if (folder_.empty()) return std::string(kMain);
  const std::string name = branch_name(folder_);
  const store::Store& store = repository_->store();
  const auto is_ours = [&](const std::string& branch) -> Result<bool> {
    const bool is_there = TRY(store.ref(store::branch_ref(branch))).has_value();
    const auto taken = TRY(store.local(taken_key(branch)));  // Read last: it is written first.
    return taken ? *taken == key_of("") : !is_there;
  };
  std::string numbered = name;
  for (int number = 2; !TRY(is_ours(numbered)); ++number) {
    numbered = fmt::format("{}-{}", name, number);
  }
  return numbered;
}

Result<Head> Workspace::head() const {
  const auto text = TRY(repository_->store().local(key_of(kHead)));
  if (!text) return Head{TRY(first_branch()), std::nullopt};
  const auto head = read_head(*text);
  if (!head) return corrupt("HEAD is malformed", "spoor switch main");
  return *head;
}

Result<std::optional<Oid>> Workspace::head_commit() const { return commit_of(TRY(head())); }

Result<std::optional<Oid>> Workspace::commit_of(const Head& at) const {
  if (at.is_detached()) return at.commit;
  return repository_->store().ref(store::branch_ref(at.branch));
}

Result<void> Workspace::set_head(const Head& to) {
  const Head from = TRY(head());
  view_.leave();
  if (from == to) return {};
  if (to.is_detached()) return detach(from, to);
  if (TRY(commit_of(from))) TRY(store().set_local(key_of(kPreviousHead), write_head(from)));
  return store().set_local(key_of(kHead), write_head(to));
}

// gc may be about to remove the commit: it must be here when HEAD names it, and then gc knows.
Result<void> Workspace::detach(const Head& from, const Head& to) {
  return store().exclusive([&]() -> Result<void> {
    if (!TRY(store().has(std::array{*to.commit}))[0]) return store::not_stored(*to.commit);
    const std::string end = key_of("") + '\n';
    std::string folders = TRY(store().local(kDetachedFolders)).value_or("");
    if (('\n' + folders).find('\n' + end) == std::string::npos) {
      TRY(store().set_local(kDetachedFolders, folders += end));
    }
    if (TRY(commit_of(from))) TRY(store().set_local(key_of(kPreviousHead), write_head(from)));
    return store().set_local(key_of(kHead), write_head(to));
  });
}

Result<std::vector<Oid>> Workspace::head_commits() const {
  std::set<std::string> ends = {key_of("")};
  const std::string folders = TRY(repository_->store().local(kDetachedFolders)).value_or("");
  for (std::size_t at = 0, end = 0; (end = folders.find('\n', at)) != std::string::npos;
       at = end + 1) {
    ends.insert(folders.substr(at, end - at));
  }
  std::vector<Oid> commits;
  if (const auto here = TRY(head_commit())) commits.push_back(*here);
  for (const std::string& end : ends) {
    for (const std::string_view fact : {kHead, kPreviousHead}) {
      const auto text = TRY(repository_->store().local(std::string(fact) + end));
      const auto head = text ? read_head(*text) : std::nullopt;
      if (head && head->commit) commits.push_back(*head->commit);
    }
  }
  return commits;
}

Result<void> Workspace::set_head(const Head& to, const Oid& operation) {
  const Head from = TRY(head());
  TRY(set_head(to));
  if (from == to) return {};
  std::string moves = TRY(store().local(key_of(kHeadMoves))).value_or("");
  moves += fmt::format("{}\t{}\t{}\n", operation.hex(), write_head(from), write_head(to));
  for (auto lines = std::count(moves.begin(), moves.end(), '\n');
       lines > static_cast<std::ptrdiff_t>(kKeptMoves); --lines) {
    moves.erase(0, moves.find('\n') + 1);
  }
  return store().set_local(key_of(kHeadMoves), moves);
}

Result<std::optional<Head>> Workspace::head_before(const Oid& operation) const {
  const std::string moves = TRY(repository_->store().local(key_of(kHeadMoves))).value_or("");
  const std::size_t begin = moves.find(operation.hex() + '\t');
  if (begin == std::string::npos) return std::optional<Head>();
  const std::string_view line =
      std::string_view(moves).substr(begin, moves.find('\n', begin) - begin);
  const std::size_t first = line.find('\t');
  const std::size_t second = line.rfind('\t');
  const auto from = read_head(line.substr(first + 1, second - std::min(second, first + 1)));
  const auto to = read_head(line.substr(second + 1));
  if (!from || !to || *to != TRY(head())) return std::optional<Head>();
  return from;
}

Result<Head> Workspace::previous_head() const {
  const auto text = TRY(repository_->store().local(key_of(kPreviousHead)));
  const auto head = text ? read_head(*text) : std::nullopt;
  if (!head) return not_found("no previous position", "spoor switch BRANCH");
  return *head;
}

// Takes a branch for a folder that has none yet.
Result<void> Workspace::take_branch() const {
  store::Store& store = repository_->store();
  if (folder_.empty() || TRY(store.local(key_of(kHead)))) return {};
  return store.exclusive([&]() -> Result<void> {
    if (TRY(store.local(key_of(kHead)))) return {};  // Another process was first.
    const std::string branch = TRY(first_branch());
    TRY(store.set_local(taken_key(branch), key_of("")));
    return store.set_local(key_of(kHead), write_head({branch, std::nullopt}));
  });
}

Result<std::string> Workspace::branch_for_writing() const {
  TRY(take_branch());
  Head at = TRY(head());
  if (at.is_detached()) {
    return invalid("HEAD is detached: no branch to write to",
                   "begin one here with 'spoor branch NAME', then 'spoor switch NAME'");
  }
  return std::move(at.branch);
}

std::string Workspace::here() const {
  return view_.is_present() ? std::string(kHead) : view_.now().commit->hex();
}

Result<std::string> Workspace::find_branch(std::string_view word) const {
  if (find_branch_) return find_branch_(word);
  return not_found(fmt::format("no branch '{}'", word), "list them with 'spoor branch'");
}

Result<Oid> Workspace::resolve(std::string_view revision) const {
  const Head at = TRY(head());
  const std::string ref = at.is_detached() ? std::string() : store::branch_ref(at.branch);
  const std::string plain = TRY(without_numbers(revision));
  const auto head = TRY(head_commit());
  auto found = repository_->resolve(plain, head, ref);
  if (found || found.error().code != Error::Code::not_found || !find_branch_) return found;
  const std::size_t end = std::min(plain.find_first_of("~^@:"), plain.size());
  const auto branch = find_branch_(std::string_view(plain).substr(0, end));
  if (branch) return repository_->resolve(branch.value() + plain.substr(end), head, ref, true);
  if (branch.error().code == Error::Code::not_found) return found;
  return branch.error();
}

// Returns `@3~1` with the id of number 3.
Result<std::string> Workspace::without_numbers(std::string_view revision) const {
  std::size_t number = 0;
  const char* end = revision.data() + revision.size();
  if (printed_ == nullptr || !revision.starts_with('@')) return std::string(revision);
  const auto [stop, error] = std::from_chars(revision.data() + 1, end, number);
  if (stop == revision.data() + 1) return std::string(revision);
  const auto id = error == std::errc() ? printed_->find(number) : std::nullopt;
  if (id) return id->hex() + std::string(stop, end);
  return not_found(fmt::format("there is no {}", std::string_view(revision.data(), stop)),
                   printed_->size() == 0
                       ? std::string("a listing numbers the ids it prints; see 'log'")
                       : fmt::format("the last listing printed @1 to @{}", printed_->size()));
}

Result<std::optional<Oid>> Workspace::resolve_or_empty(std::string_view revision) const {
  if (revision == kHead) return head_commit();
  return std::optional<Oid>(TRY(resolve(revision)));
}

std::string Workspace::short_id(const Oid& commit) const {
  const auto shortest = store::abbreviate(repository_->store(), commit);
  return shortest ? shortest.value() : commit.hex(8);
}

}  // namespace spoor::api
