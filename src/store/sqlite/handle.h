#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace spoor::store::sqlite {

/// The location of an object. Below 0: in the row of the operation that it came with (arrivals.h).
/// Below kFirstPlace: objects.handle. From there on: commits.place, `segment << 32 | position`. A
/// segment is a part of one first-parent chain, oldest first, so that history is a range of rows.
using Handle = std::int64_t;

/// Less than every handle.
constexpr Handle kBeforeAll = std::numeric_limits<Handle>::min();

constexpr int kSegmentShift = 32;
constexpr Handle kFirstPlace = Handle{1} << kSegmentShift;

constexpr bool is_place(Handle handle) { return handle >= kFirstPlace; }
constexpr Handle segment_of(Handle place) { return place >> kSegmentShift; }
constexpr Handle first_of_segment(Handle segment) { return segment << kSegmentShift; }
constexpr Handle position_of(Handle place) { return place & (kFirstPlace - 1); }

/// Bits for the index of an object in an operation's row, counted from 0.
constexpr int kArrivalBits = 5;
constexpr std::size_t kMostArrivals = std::size_t{1} << kArrivalBits;  // In one row.

constexpr bool is_arrival(Handle handle) { return handle < 0; }
constexpr Handle arrival(std::int64_t operation, std::size_t index) {
  return ~(operation << kArrivalBits | static_cast<Handle>(index));
}
constexpr std::int64_t operation_of(Handle arrival) { return ~arrival >> kArrivalBits; }
constexpr std::size_t index_of(Handle arrival) {
  return static_cast<std::size_t>(~arrival) & (kMostArrivals - 1);
}

}  // namespace spoor::store::sqlite
