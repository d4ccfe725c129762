#include "api/head.h"

#include "store/operation.h"

namespace spoor::api {
namespace {

constexpr std::string_view kOnBranch = "ref refs/heads/";

}  // namespace

std::string write_head(const Head& head) {
  return head.commit ? head.commit->hex() : std::string(kOnBranch) + head.branch;
}

std::optional<Head> read_head(std::string_view text) {
  if (text.starts_with(kOnBranch)) {
    const std::string_view branch = text.substr(kOnBranch.size());
    if (!store::ref_name_problem(branch).empty()) return std::nullopt;
    return Head{std::string(branch), std::nullopt};
  }
  const auto commit = store::Oid::from_hex(text);
  if (!commit) return std::nullopt;
  return Head{{}, commit};
}

}  // namespace spoor::api
