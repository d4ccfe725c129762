#pragma once

#include <cstddef>

#include "store/reader.h"

namespace spoor::store {

/// Store::run with each commit verified and parsed, and kept nowhere: for walks that are longer
/// than a cache, which would only be emptied by them. Returns how many were handed out; fewer than
/// `count` where the visitor stopped, at a root, and where the next is not stored. Code::corrupt
/// when a commit does not match its name.
Result<std::size_t> verified_run(const Store& store, const Oid& from, std::size_t count,
                                 const Reader::Visitor& visit);

}  // namespace spoor::store
