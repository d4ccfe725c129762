#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/reader.h"

namespace spoor::trace {

using Bytes = std::shared_ptr<const std::string>;

/// Reads these contents, in order, with one call to the store; null if one is absent.
Result<std::vector<Bytes>> bytes_of(const store::Reader& reader,
                                    const std::vector<store::Oid>& oids);

}  // namespace spoor::trace
