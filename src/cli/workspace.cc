#include "cli/workspace.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = ".spoor";
constexpr std::string_view kHead = "HEAD";
constexpr std::string_view kPreviousHead = "HEAD.previous";
constexpr std::string_view kHeadMoves =
    "HEAD.moves";  // `OPERATION TAB FROM TAB TO LF`, oldest first
constexpr std::size_t kKeptMoves = 64;

bool is_folder(const fs::path& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

bool is_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

}  // namespace

Result<Head> Workspace::head() const {
  const auto text = TRY(repository_->store().local(kHead));
  if (!text) return Head{"main", std::nullopt};
  const auto head = read_head(*text);
  if (!head) return store::corrupt("HEAD is malformed", "spoor switch main");
  return *head;
}

Result<std::optional<Oid>> Workspace::head_commit() const {
  const Head at = TRY(head());
  if (at.is_detached()) return at.commit;
  return repository_->store().ref(store::branch_ref(at.branch));
}

Result<void> Workspace::set_head(const Head& to) {
  const Head from = TRY(head());
  view_.leave();
  if (from == to) return {};
  TRY(store().set_local(kPreviousHead, write_head(from)));
  return store().set_local(kHead, write_head(to));
}

Result<void> Workspace::set_head(const Head& to, const Oid& operation) {
  const Head from = TRY(head());
  TRY(set_head(to));
  if (from == to) return {};
  std::string moves = TRY(store().local(kHeadMoves)).value_or("");
  moves += fmt::format("{}\t{}\t{}\n", operation.hex(), write_head(from), write_head(to));
  for (auto lines = std::count(moves.begin(), moves.end(), '\n');
       lines > static_cast<std::ptrdiff_t>(kKeptMoves); --lines) {
    moves.erase(0, moves.find('\n') + 1);
  }
  return store().set_local(kHeadMoves, moves);
}

Result<std::optional<Head>> Workspace::head_before(const Oid& operation) const {
  const std::string moves = TRY(repository_->store().local(kHeadMoves)).value_or("");
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
  const auto text = TRY(repository_->store().local(kPreviousHead));
  const auto head = text ? read_head(*text) : std::nullopt;
  if (!head) return store::not_found("there is no previous position", "spoor switch BRANCH");
  return *head;
}

Result<std::string> Workspace::branch_for_writing() const {
  Head at = TRY(head());
  if (at.is_detached()) {
    return store::invalid("HEAD is detached, so there is no branch to write to",
                          "begin one here with 'spoor branch NAME', then 'spoor switch NAME'");
  }
  return std::move(at.branch);
}

std::string Workspace::here() const {
  return view_.is_present() ? std::string(kHead) : view_.now().commit->hex();
}

Result<Oid> Workspace::resolve(std::string_view revision) const {
  const Head at = TRY(head());
  const std::string ref = at.is_detached() ? std::string() : store::branch_ref(at.branch);
  return repository_->resolve(TRY(without_numbers(revision)), TRY(head_commit()), ref);
}

// `@3~1` with the id that number 3 stands for.
Result<std::string> Workspace::without_numbers(std::string_view revision) const {
  std::size_t number = 0;
  const char* end = revision.data() + revision.size();
  if (printed_ == nullptr || !revision.starts_with('@')) return std::string(revision);
  const auto [stop, error] = std::from_chars(revision.data() + 1, end, number);
  if (stop == revision.data() + 1) return std::string(revision);
  const auto id = error == std::errc() ? printed_->find(number) : std::nullopt;
  if (id) return id->hex() + std::string(stop, end);
  return store::not_found(
      fmt::format("there is no {}", std::string_view(revision.data(), stop)),
      printed_->size() == 0 ? std::string("a listing numbers the ids it prints; see 'log'")
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

std::string find_store(const Environment& environment, const std::string& given) {
  std::string path = given;
  if (path.empty()) path = environment.variable("SPOOR_STORE").value_or("");
  if (!path.empty()) {
    fs::path full = fs::path(environment.directory()) / path;
    if (is_folder(full)) full /= kFileName;
    return full.string();
  }
  fs::path folder = environment.directory();
  while (true) {
    if (is_file(folder / kFileName)) return (folder / kFileName).string();
    if (!folder.has_parent_path() || folder == folder.parent_path()) return {};
    folder = folder.parent_path();
  }
}

std::string new_store_path(const Environment& environment, const std::string& given) {
  fs::path full = fs::path(environment.directory()) / given;
  if (given.empty() || is_folder(full)) full /= kFileName;
  return full.lexically_normal().string();
}

}  // namespace spoor::cli
