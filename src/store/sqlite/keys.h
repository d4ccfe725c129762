#pragma once

#include <string_view>

namespace spoor::store::sqlite {

/// Keys of the table `derived`. The store's own begin with `s`, those that callers cache with `c`.
constexpr std::string_view kRefsSnapshotKey = "srefs";
constexpr std::string_view kRefsSealKey = "sseal";
constexpr std::string_view kNamesIndexedKey = "snames";
constexpr std::string_view kLocalSealPrefix = "sl ";
constexpr char kCallersPrefix = 'c';

constexpr const char* kRebuildHint = "run 'spoor store rebuild': this can be restored";

}  // namespace spoor::store::sqlite
