#include "agent/session.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/words.h"
#include "graph/merge.h"

namespace spoor::agent {

using compile::Oid;

namespace {

constexpr std::array<std::pair<WhenFull, std::string_view>, 4> kWhenFull = {{
    {WhenFull::drop_each, "drop-each"},
    {WhenFull::drop, "drop"},
    {WhenFull::clear, "clear"},
    {WhenFull::compact, "compact"},
}};

}  // namespace

std::string_view name_of(WhenFull when) { return word_in(kWhenFull, when); }
std::optional<WhenFull> when_full_from(std::string_view name) { return value_in(kWhenFull, name); }

Session::Session(graph::Repository& repository, std::string branch)
    : Session(repository, std::move(branch), Options{}) {}

Session::Session(graph::Repository& repository, std::string branch, Options options)
    : branch_(repository, std::move(branch)), options_(std::move(options)) {}

Result<Session> Session::fork(const std::string& name) const {
  const auto tip = TRY(branch_.tip());
  if (!tip) {
    return not_found(fmt::format("'{}' has no commits to fork", branch_.name()),
                     "run something on it first");
  }
  TRY(repository().create_branch(name, *tip));
  return Session(repository(), name, options_);
}

Result<Oid> Session::take_back(const Session& child, const std::string& summary) {
  const auto source = TRY(child.branch_.tip());
  if (!source) {
    return not_found(fmt::format("'{}' has no commits", child.branch_.name()));
  }
  graph::MergeRequest request{.mode = store::Mode::digest, .targets = {}, .digest = {}, .by = {}};
  request.digest = graph::stamped({.type = compile::Type::summary, .text = summary},
                                  repository().author(), repository().clock().now());
  return branch_.write("merge", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
    const auto merged = TRY(
        graph::merge(draft, repository().reader(), repository().folder(), ref, *source, request));
    return merged.tip;
  });
}

}  // namespace spoor::agent
