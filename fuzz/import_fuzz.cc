// Any bytes as a session file, of any of the programs that are known: the import answers without a
// crash; a second one writes nothing; and the front of the file, imported first, changes nothing of
// what the whole comes to.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "graph/repository.h"
#include "import/importer.h"

namespace {

using spoor::graph::Repository;
using spoor::import::Importer;
using spoor::import::LossReport;
using spoor::import::total;

void require(bool claim) {
  if (!claim) std::abort();
}

/// Who reads this text; a text that nobody recognises the one with the most rules. A first byte of
/// 0x80 or more is taken off and says who reads what is behind it: so a change that makes a text
/// unrecognisable still goes where it was meant to.
const Importer& importer_of(std::string_view& text) {
  const auto& importers = spoor::import::importers();
  constexpr unsigned kChosen = 0x80;
  const unsigned first = text.empty() ? 0 : static_cast<unsigned char>(text.front());
  if (first >= kChosen) {
    text.remove_prefix(1);
    return *importers[(first - kChosen) % importers.size()];
  }
  const std::string_view head = text.substr(0, spoor::import::kHead);
  const auto best = spoor::import::best_importers(head);
  return best.empty() ? *importers.front() : *best.front();
}

/// An archive may be damaged; any other source is read as far as it goes.
LossReport import_text(const Importer& importer, Repository& repository, std::string_view text) {
  spoor::import::TextSource source("fuzz.jsonl", text);
  auto report = importer.import(source, repository, {});
  if (report) return std::move(report).value();
  require(text.starts_with("PK") && report.error().code == spoor::Error::Code::invalid);
  return {};
}

/// The front of a text. What Aider wrote at once is told by what follows it: a front that ends
/// between two lines may end within it.
std::string_view front_of(const Importer& importer, std::string_view text, std::size_t size) {
  text = text.substr(0, size);
  while (importer.name == "aider" && text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string refs_of(const Repository& repository) {
  std::string out;
  for (const auto& ref : repository.store().refs("refs/").value()) {
    out += ref.name + " " + ref.target.hex() + "\n";
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const Importer& importer = importer_of(text);
  const auto whole = Repository::in_memory();
  const LossReport report = import_text(importer, *whole, text);
  require(report.records == report.turn_records + total(report.kept) + total(report.duplicates));
  const std::string refs = refs_of(*whole);

  const LossReport again = import_text(importer, *whole, text);
  require(again.new_turns == 0 && again.new_notes == 0);
  require(refs_of(*whole) == refs);

  const auto parts = Repository::in_memory();
  bool is_open = false;  // A call without its result, at the end of a front, is kept as a note.
  for (const std::size_t end : {text.size() / 3, text.size() * 2 / 3}) {
    const LossReport front = import_text(importer, *parts, front_of(importer, text, end));
    is_open = is_open || front.kept.contains("open");
  }
  import_text(importer, *parts, text);
  // A message of Gemini CLI's that is written again behind the end of a front was imported as it
  // was there.
  if (report.kept.contains("superseded") || report.duplicates.contains("superseded")) return 0;
  const std::string grown = refs_of(*parts);
  for (const auto& ref : whole->store().refs("refs/heads/").value()) {
    require(parts->store().ref(ref.name).value() == ref.target);
  }
  // A front that does not say its session's name has one of its own.
  const bool is_renamed = grown.find("/unnamed-") != std::string::npos;
  require(is_open || is_renamed || grown == refs);
  return 0;
}
