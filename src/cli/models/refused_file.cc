#include "cli/models/refused_file.h"

#include "base/files.h"
#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::cli {
namespace {

constexpr std::int64_t kKept = 30LL * 24 * 60 * 60;  // Seconds.
constexpr unsigned kMode = 0600;

std::int64_t seconds_of(const Timestamp& time) { return time.micros / 1'000'000; }

std::string path_in(const std::string& home) {
  return home.empty() ? home : home + "/refused-parameters.json";
}

std::string patch_in(std::string_view entry) {
  const auto document = json::parse(entry);
  if (!document) return {};
  const json::Value patch = document->root().find("patch");
  return patch.is_object() ? std::string(patch.raw()) : std::string();
}

}  // namespace

RefusedFile::RefusedFile(const Environment& environment, const Clock& clock)
    : path_(path_in(state_home(environment))), clock_(clock) {}

std::map<std::string, std::string> RefusedFile::entries() const {
  std::map<std::string, std::string> kept;
  const auto text = read_file(path_);
  if (!text || !*text) return kept;
  const auto document = json::parse(**text);
  if (!document) return kept;
  const std::int64_t now = seconds_of(clock_.now());
  for (const json::Member member : document->root().members()) {
    const auto at = member.value.find("at").integer();
    if (!at || *at > now || now - *at >= kKept) continue;
    if (auto entry = json::canonical(member.value.raw())) {
      kept.emplace(member.key.text(), std::move(*entry));
    }
  }
  return kept;
}

std::string RefusedFile::patch_for(const std::string& model) { return patch_in(entries()[model]); }

void RefusedFile::learn(const std::string& model, const std::string& patch) {
  if (path_.empty()) return;
  auto all = entries();
  // Null has a meaning in a patch, so patches are put side by side, not applied to each other.
  const auto both = llm::joined_patches(patch_in(all[model]), patch);
  if (!both) return;
  json::Object entry;
  entry.add_json("patch", *both);
  entry.add_integer("at", seconds_of(clock_.now()));
  all[model] = entry.write();
  json::Object file;
  for (const auto& [name, json] : all) file.add_json(name, json);
  (void)write_file(path_, file.write() + '\n', kMode);  // Else it is learnt again next time.
}

}  // namespace spoor::cli
