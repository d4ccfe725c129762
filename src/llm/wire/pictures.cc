#include "llm/wire/pictures.h"

#include <utility>

#include "base/base64.h"
#include "compile/commitment.h"
#include "compile/pictures.h"
#include "llm/document_item.h"
#include "store/erased.h"

namespace spoor::llm::wire {

using compile::Message;
using compile::Oid;
using compile::Part;

namespace {

/// Returns the items that may contain a document.
std::vector<store::Content> items_of(const Part& part) {
  if (part.type != compile::Type::user || part.raw == nullptr || part.is_edited) return {};
  return *part.raw;
}

}  // namespace

Result<Pictures> Pictures::read(const compile::Prompt& prompt, const store::Reader& reader) {
  std::vector<Oid> wanted;
  for (const Message& message : prompt.messages) {
    for (const Part& part : message.parts) {
      for (const auto& each : compile::pictures_in(part.attach.get())) wanted.push_back(each.oid);
      for (const auto& each : items_of(part)) wanted.push_back(each.oid);
    }
  }
  auto contents = TRY(reader.contents(wanted));
  Pictures made;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& bytes = *contents[i];
    if (store::is_erasure_text(bytes) || compile::is_commitment(bytes)) continue;
    made.bytes_.emplace(wanted[i], std::move(contents[i]));
  }
  return made;
}

std::vector<Pictures::Picture> Pictures::of(const Part& part) const {
  std::vector<Picture> all;
  for (const store::Content& each : compile::pictures_in(part.attach.get())) {
    const auto found = bytes_.find(each.oid);
    if (found != bytes_.end()) all.push_back({each.media_type, found->second});
  }
  return all;
}

std::vector<std::string> Pictures::documents_of(const Part& part) const {
  std::vector<std::string> all;
  for (const store::Content& each : items_of(part)) {
    const auto found = bytes_.find(each.oid);
    if (found == bytes_.end()) continue;
    if (std::string document = document_item(*found->second); !document.empty()) {
      all.push_back(std::move(document));
    }
  }
  return all;
}

std::string data_url(const Pictures::Picture& picture) {
  return "data:" + picture.media_type + ";base64," + encode_base64(*picture.bytes);
}

}  // namespace spoor::llm::wire
