// What stays of JSON in mode hashed is JSON, says nothing twice differently, and keeps no text but
// words of machines.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "compile/commitment.h"
#include "guard/capture/field_modes.h"
#include "guard/capture/hasher.h"
#include "guard/capture/structure.h"
#include "guard/erase/literal_finder.h"

namespace {

using spoor::guard::Hasher;

void need(bool holds) {
  if (!holds) std::abort();
}

void check_commitment(std::string_view text) {
  const auto read = spoor::compile::read_commitment(text);
  if (read) need(spoor::compile::write_commitment(*read) == text);
}

void check_structure(std::string_view text, const Hasher& hasher) {
  for (const auto keep : {spoor::guard::facts_without_texts, spoor::guard::facts_without_path}) {
    const auto facts = keep(text, hasher);
    if (facts) need(keep(*facts, hasher).value() == *facts);
  }
  const auto request = spoor::guard::request_without_texts(text, hasher);
  if (!request) return;
  need(static_cast<bool>(spoor::json::parse(*request)));
  need(spoor::guard::request_without_texts(*request, hasher).value() == *request);
}

void check_modes(std::string_view text) {
  const auto modes = spoor::guard::read_field_modes(text);
  if (!modes) return;
  const std::string said = modes->differences();
  need(spoor::guard::read_field_modes(said).value().differences() == said);
}

// A text is found in itself and with anything around it, and no search reads beyond an end.
void check_finder(std::string_view text) {
  spoor::guard::LiteralFinder finder;
  if (!finder.add(text.substr(0, text.size() / 2))) return;
  need(finder.is_in(text));
  (void)finder.is_in(text.substr(text.size() / 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Hasher hasher([] { return spoor::Result<std::string>(std::string(32, 'k')); });
  hasher.keep_originals(false);
  check_commitment(text);
  check_structure(text, hasher);
  check_modes(text);
  check_finder(text);
  return 0;
}
