#include "cli/mcp/resources.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/session.h"
#include "base/percent.h"
#include "base/text.h"
#include "cli/mcp/tools.h"
#include "llm/endpoint.h"
#include "store/revision.h"

namespace spoor::cli::mcp {
namespace {

constexpr std::string_view kScheme = "spoor://";
constexpr std::size_t kPage = 100;

std::string uri_of(std::string_view branch) {
  return std::string(kScheme) + percent_encoded(branch, "/");
}

// A URI's revision, and the part of its text.
struct Named {
  std::string revision;
  Range range;
};

Result<Named> parse_uri(std::string_view uri) {
  const Error wrong = invalid(fmt::format("'{}' is not a resource", uri.substr(0, 200)),
                              "spoor://REVISION?offset=N&max_tokens=N");
  if (!uri.starts_with(kScheme)) return wrong;
  std::string_view rest = uri.substr(kScheme.size());
  Named named;
  const std::size_t question = std::min(rest.find('?'), rest.size());
  const auto revision = percent_decoded(rest.substr(0, question));
  if (!revision || revision->empty()) return wrong;
  named.revision = *revision;
  rest.remove_prefix(question);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(pair.size());
    const std::size_t equals = std::min(pair.find('='), pair.size() - 1);
    const std::string_view name = pair.substr(0, equals);
    const std::string_view digits = pair.substr(std::min(equals + 1, pair.size()));
    std::uint64_t& number = name == "offset" ? named.range.offset : named.range.max_tokens;
    if (name != "offset" && name != "max_tokens") return wrong;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    if (error != std::errc() || end != digits.end()) return wrong;
  }
  if (named.range.max_tokens < kLeastTokens || named.range.max_tokens > kMostTokens) return wrong;
  return named;
}

}  // namespace

Result<BranchPage> branches_after(Session& session, std::string_view cursor) {
  const Workspace& workspace = *TRY(session.workspace());
  constexpr std::string_view kHeads = "refs/heads/";
  BranchPage page;
  for (const store::Ref& ref : TRY(workspace.repository().store().refs(kHeads))) {
    const std::string_view name = std::string_view(ref.name).substr(kHeads.size());
    if (name <= cursor) continue;
    if (page.names.size() == kPage) {
      page.has_more = true;
      break;
    }
    page.names.emplace_back(name);
  }
  return page;
}

void write_resource(api::JsonWriter& json, std::string_view branch) {
  json.object().member("uri", uri_of(branch)).member("name", branch);
  json.member("mimeType", "text/plain").end();
}

void write_template(api::JsonWriter& json) {
  json.object().member("uriTemplate", "spoor://{+revision}{?offset,max_tokens}");
  json.member("name", "revision");
  json.member("description",
              "a turn by its hash, or the history of a branch or a session, newest first");
  json.member("mimeType", "text/plain").end();
}

Result<std::string> read_resource(Session& session, std::string_view uri) {
  const Named named = TRY(parse_uri(uri));
  const Workspace& workspace = *TRY(session.workspace());
  Arguments arguments;
  arguments.add("revision", named.revision);
  const bool is_hash = store::Oid::from_hex(named.revision).has_value();
  const bool is_line =
      TRY(workspace.repository().store().ref(store::branch_ref(named.revision))).has_value() ||
      (!is_hash && api::find_session(TRY(session.context()), named.revision).has_value());
  return text_of(session, is_line ? "log" : "show", arguments, named.range);
}

}  // namespace spoor::cli::mcp
