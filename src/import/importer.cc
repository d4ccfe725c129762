#include "import/importer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "import/importers.h"

namespace spoor::import {
namespace {

constexpr std::size_t kMostHead = 64 * kHead;

Error not_recognised(const Source& source) {
  return invalid(fmt::format("'{}' is not a session file that spoor can read", source.name()),
                 "'spoor help import' names the agents whose sessions are read");
}

/// Returns the compression or encoding of a file that can be converted to a readable one; empty if
/// none.
std::string_view wrapping_of(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return "gzip";
  if (head.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (head.starts_with("PK\x03\x04")) return "zip";
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return "UTF-16";
  return {};
}

}  // namespace

const std::vector<const Importer*>& importers() {
  static const std::vector<const Importer*> all = {&claude_code::kClaudeCode,
                                                   &codex::kCodex,
                                                   &formats::kGeminiCli,
                                                   &formats::kGemini,
                                                   &formats::kOpenCode,
                                                   &formats::kPi,
                                                   &formats::kCopilot,
                                                   &formats::kQwenCode,
                                                   &formats::kDroid,
                                                   &formats::kCursor,
                                                   &formats::kKimi,
                                                   &formats::kGrok,
                                                   &formats::kAntigravity,
                                                   &formats::kHermes,
                                                   &formats::kAider,
                                                   &formats::kSweAgent,
                                                   &formats::kMiniSweAgent,
                                                   &formats::kOpenHands,
                                                   &formats::kChat,
                                                   &formats::kResponses,
                                                   &formats::kAnthropic,
                                                   &formats::kInspect,
                                                   &formats::kShareGpt,
                                                   &formats::kAtif,
                                                   &formats::kAdp,
                                                   &formats::kTauBench,
                                                   &formats::kOtel,
                                                   &formats::kGeneric};
  return all;
}

std::vector<const Importer*> best_importers(std::string_view head) {
  constexpr int kMostUnknown = 8;
  std::vector<const Importer*> best;
  int highest = score::kNone;
  for (int i = 0; i < kMostUnknown && highest == score::kNone && !head.empty(); ++i) {
    const Head parsed(head);
    for (const Importer* importer : importers()) {
      const int found = importer->score(parsed);
      if (found > highest) best.clear();
      highest = std::max(highest, found);
      if (found == highest && found > score::kNone) best.push_back(importer);
    }
    head = parsed.rest();
  }
  return best;
}

Result<Recognised> recognise(Source& source) {
  std::string head;
  // A first record that is longer than the head may have its telling members at its end.
  for (std::size_t size = kHead; size <= kMostHead; size *= 8) {
    head += TRY(read_head(source, size - head.size()));
    if (trimmed(head).empty() && head.size() < size) return Recognised{std::move(head)};
    const auto best = best_importers(head);
    if (!best.empty()) return Recognised{std::move(head), best.front()};
    if (head.size() < size || !Head(head).is_torn()) break;
  }
  if (const auto wrapping = wrapping_of(head); !wrapping.empty()) {
    return invalid(fmt::format("'{}' is in {}, which spoor does not read", source.name(), wrapping),
                   wrapping == "UTF-16" ? "convert it to UTF-8, then import the result"
                                        : "unpack it, then import its files");
  }
  return not_recognised(source);
}

LossReport import_nothing(const Recognised& recognised) {
  LossReport empty;
  empty.sources = 1;
  empty.bytes = recognised.head.size();
  return empty;
}

Result<LossReport> import_recognised(const Recognised& recognised, Source& source,
                                     graph::Repository& repository, const ImportOptions& options) {
  if (recognised.importer == nullptr) return import_nothing(recognised);
  ResumedSource resumed(source, recognised.head);
  auto report = recognised.importer->import(resumed, repository, options);
  if (report) {
    for (const ImportedRef& each : report->refs) {
      if (each.moved) TRY(repository.folder().prepare(each.target));
    }
    return report;
  }
  if (report.error().code != Error::Code::invalid) return report;
  const Error& error = report.error();
  return Error{Error::Code::denied, fmt::format("'{}': {}", source.name(), error.message),
               error.hint};
}

Result<LossReport> import_source(Source& source, graph::Repository& repository,
                                 const ImportOptions& options) {
  const Recognised recognised = TRY(recognise(source));
  return import_recognised(recognised, source, repository, options);
}

}  // namespace spoor::import
