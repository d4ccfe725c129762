#pragma once

#include <cstdint>

namespace spoor::store::sqlite {

/// Where an object's row is. Below kFirstPlace it is objects.handle; from there
/// on commits.place: `segment << 32 | position`. A segment is a stretch of one
/// first-parent chain, oldest first, so that history is a range of rows.
using Handle = std::int64_t;

constexpr int kSegmentShift = 32;
constexpr Handle kFirstPlace = Handle{1} << kSegmentShift;

constexpr bool is_place(Handle handle) { return handle >= kFirstPlace; }
constexpr Handle segment_of(Handle place) { return place >> kSegmentShift; }
constexpr Handle first_of_segment(Handle segment) { return segment << kSegmentShift; }
constexpr Handle position_of(Handle place) { return place & (kFirstPlace - 1); }

}  // namespace spoor::store::sqlite
