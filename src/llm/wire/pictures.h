#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/prompt.h"

namespace spoor::llm::wire {

/// The bytes of the pictures that are attached to the parts of a prompt, as the store has them, and
/// the documents of users: without those that were erased, or only hashed. A value.
class Pictures {
 public:
  struct Picture {
    std::string media_type;
    std::shared_ptr<const std::string> bytes;
  };

  /// None.
  Pictures() = default;

  /// Reads those of `prompt` with one call to the store.
  static Result<Pictures> read(const compile::Prompt& prompt, const store::Reader& reader);

  /// Those of one part, in their order.
  std::vector<Picture> of(const compile::Part& part) const;

  /// The documents of a user's part, as document_item() has them; none of one that was edited.
  std::vector<std::string> documents_of(const compile::Part& part) const;

 private:
  std::unordered_map<compile::Oid, std::shared_ptr<const std::string>> bytes_;
};

/// `data:image/png;base64,…` (RFC 2397).
std::string data_url(const Pictures::Picture& picture);

}  // namespace spoor::llm::wire
