#include "cli/models/refused_file.h"

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/files.h"

namespace spoor::cli {
namespace {

constexpr std::int64_t kKept = 30LL * 24 * 60 * 60;  // Seconds.
constexpr unsigned kMode = 0600;

std::int64_t seconds_of(const Timestamp& time) { return time.micros / 1'000'000; }

std::string path_in(const std::string& home) {
  return home.empty() ? home : home + "/refused-parameters.json";
}

}  // namespace

RefusedFile::RefusedFile(const Environment& environment, const Clock& clock)
    : path_(path_in(state_home(environment))), clock_(clock) {}

std::string RefusedFile::entries() const {
  json::Object kept;
  const auto text = read_file(path_);
  if (!text || !*text) return kept.write();
  const auto document = json::parse(**text);
  if (!document) return kept.write();
  const std::int64_t now = seconds_of(clock_.now());
  for (const json::Member member : document->root().members()) {
    const auto at = member.value.find("at").integer();
    if (at && *at <= now && now - *at < kKept) kept.add_value(member.key.text(), member.value);
  }
  return kept.write();
}

std::string RefusedFile::patch_for(const std::string& model) {
  const std::string all = entries();
  const auto document = json::parse(all);
  const json::Value patch = document->root().find(model).find("patch");
  return patch.is_object() ? std::string(patch.raw()) : std::string();
}

void RefusedFile::learn(const std::string& model, const std::string& patch) {
  if (path_.empty()) return;
  // Null has a meaning in a patch, so patches are put side by side, not applied to each other.
  const auto all = llm::joined_patches(patch_for(model), patch);
  if (!all) return;
  json::Object entry;
  entry.add_json("patch", *all);
  entry.add_integer("at", seconds_of(clock_.now()));
  const std::string before = entries();
  const auto document = json::parse(before);
  json::Object file;
  for (const json::Member member : document->root().members()) {
    file.add_value(member.key.text(), member.value);
  }
  file.add_json(model, entry.write());
  (void)write_file(path_, file.write() + '\n', kMode);  // Else it is learnt again next time.
}

}  // namespace spoor::cli
