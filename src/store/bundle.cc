#include "store/bundle.h"

#include <array>

#include <fmt/format.h>

#include "store/value_reader.h"

namespace spoor::store {
namespace {

constexpr std::array<std::string_view, 2> kDigests = {"sha256", "hmac"};
constexpr std::size_t kMaxRenderer = 64;

std::string broken_rule(const Bundle& bundle) {
  if (!is_renderer(bundle.renderer)) return "'renderer' is malformed";
  if (!bundle.model.empty() && !is_plain_line(bundle.model, kMaxModel)) {
    return "'model' is malformed";
  }
  if (bundle.bytes > kMaxInteger) return "'sent' is out of range";
  return {};
}

// Parses `sha256 <64 hex> <bytes>`. False if it is malformed.
bool read_sent(std::string_view value, Bundle& bundle) {
  for (std::size_t i = 0; i < kDigests.size(); ++i) {
    if (!value.starts_with(kDigests[i])) continue;
    const std::string_view rest = value.substr(kDigests[i].size());
    if (rest.size() < 67 || rest[0] != ' ' || rest[65] != ' ') return false;
    const auto digest = Oid::from_hex(rest.substr(1, 64));
    const auto bytes = parse_integer(rest.substr(66));
    if (!digest || !bytes) return false;
    bundle.digest = static_cast<Bundle::Digest>(i);
    bundle.sent = *digest;
    bundle.bytes = *bytes;
    return true;
  }
  return false;
}

}  // namespace

Result<std::string> serialize(const Bundle& bundle) {
  if (const std::string broken = broken_rule(bundle); !broken.empty()) {
    return invalid("invalid bundle: " + broken, "see docs/format.md");
  }
  std::string out;
  append_line(out, "commit", bundle.commit);
  append_line(out, "renderer", bundle.renderer);
  if (!bundle.model.empty()) append_line(out, "model", bundle.model);
  if (bundle.options) append_line(out, "options", *bundle.options);
  if (bundle.tools) append_line(out, "tools", *bundle.tools);
  if (bundle.params) append_line(out, "params", *bundle.params);
  if (bundle.hook) append_line(out, "hook", *bundle.hook);
  append_line(out, "sent",
              fmt::format("{} {} {}", kDigests.at(static_cast<std::size_t>(bundle.digest)),
                          bundle.sent.hex(), bundle.bytes));
  if (bundle.stored) append_line(out, "stored", *bundle.stored);
  return out;
}

Result<Bundle> parse_bundle(std::string_view body) {
  ValueReader lines(body);
  Bundle bundle;
  bundle.commit = lines.needed_oid("commit");
  bundle.renderer = lines.text("renderer");
  bundle.model = lines.text("model");
  bundle.options = lines.oid("options");
  bundle.tools = lines.oid("tools");
  bundle.params = lines.oid("params");
  bundle.hook = lines.oid("hook");
  if (!read_sent(lines.view("sent").value_or(""), bundle)) lines.fail("sent");
  bundle.stored = lines.oid("stored");

  std::string problem = lines.problem();
  if (problem.empty()) problem = broken_rule(bundle);
  if (!problem.empty())
    return corrupt("a bundle is malformed: " + problem, "run 'spoor store fsck'");
  return bundle;
}

bool is_renderer(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > kMaxRenderer) return false;
  const std::string_view name = text.substr(0, slash);
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") != name.npos) return false;
  return parse_integer(text.substr(slash + 1)).value_or(0) > 0;
}

}  // namespace spoor::store
