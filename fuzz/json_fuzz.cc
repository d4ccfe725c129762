// Any bytes: the reader answers without a crash, what it read lies inside the
// text, a value cut short is torn, and the canonical form is a fixed point.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "base/json/writer.h"

namespace json = spoor::json;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

void check_inside(const json::Value& value, std::string_view around) {
  const std::string_view raw = value.raw();
  require(raw.data() >= around.data());
  require(raw.data() + raw.size() <= around.data() + around.size());
  for (const json::Value& element : value.elements()) check_inside(element, raw);
  for (const json::Member& member : value.members()) {
    check_inside(member.key, raw);
    check_inside(member.value, raw);
    require(static_cast<bool>(value.find(member.key.text())));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  json::Document document;
  const json::Reading reading = json::parse_one(text, document);
  require(reading.end <= size);
  if (!reading) return 0;
  if (size < 4096) check_inside(document.root(), text);  // find() makes it quadratic.

  const std::string_view value = document.root().raw();
  if (value.size() > 1 && (document.root().is_object() || document.root().is_array())) {
    json::Document cut;
    const auto status = json::parse_one(value.substr(0, value.size() - 1), cut).status;
    require(status == json::Reading::Status::torn);
  }

  const std::string once = json::canonical(value).value();
  require(json::canonical(once).value() == once);
  require(json::is_canonical_object(once) == document.root().is_object());
  return 0;
}
