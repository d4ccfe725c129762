#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/prompt.h"

namespace spoor::llm::wire {

/// The bytes of the pictures attached to a prompt's parts, as stored, and the documents of users,
/// except those that were erased or only hashed. A value type.
class Pictures {
 public:
  struct Picture {
    std::string media_type;
    std::shared_ptr<const std::string> bytes;
  };

  /// Contains no pictures.
  Pictures() = default;

  /// Reads the pictures and documents of `prompt` with one call to the store.
  static Result<Pictures> read(const compile::Prompt& prompt, const store::Reader& reader);

  /// Returns the pictures of one part, in order.
  std::vector<Picture> of(const compile::Part& part) const;

  /// Returns the documents of a user's part, in the form of document_item(); none if it was edited.
  std::vector<std::string> documents_of(const compile::Part& part) const;

 private:
  std::unordered_map<compile::Oid, std::shared_ptr<const std::string>> bytes_;
};

/// Returns `data:image/png;base64,…` (RFC 2397).
std::string data_url(const Pictures::Picture& picture);

}  // namespace spoor::llm::wire
