#include "proxy/cut_body.h"

#include <cstddef>
#include <utility>

#include "base/json/reader.h"

namespace spoor::proxy {
namespace {

using store::Cut;

constexpr std::size_t kLeast = 512;  // Bytes of a piece; a line that names it has up to 80.
constexpr std::size_t kRun = 16;     // Elements of a run.
constexpr int kMaxDepth = 8;

class Cutter {
 public:
  // Adds the cuts in a value to `cuts`.
  void cut(const json::Value& value, int depth, std::vector<Cut>& cuts) const {
    if (depth == kMaxDepth || value.raw().size() < kLeast) return;
    if (value.is_array()) {
      cut_elements(value, depth, cuts);
    } else if (value.is_object()) {
      for (const json::Member& member : value.members()) cut(member.value, depth + 1, cuts);
    }
  }

 private:
  static std::size_t end_of(const json::Value& value) {
    return value.offset() + value.raw().size();
  }

  void cut_elements(const json::Value& array, int depth, std::vector<Cut>& cuts) const {
    std::vector<Cut> run;
    std::size_t in_run = 0;
    std::size_t begin = 0;  // The run's.
    std::size_t before = array.offset() + 1;
    for (const json::Value& element : array.elements()) {
      if (in_run == 0) begin = before;
      if (element.raw().size() >= kLeast) {
        Cut piece{before, end_of(element)};
        cut(element, depth + 1, piece.inner);
        run.push_back(std::move(piece));
      }
      before = end_of(element);
      if (++in_run < kRun) continue;
      if (before - begin >= kLeast) cuts.push_back({begin, before, std::exchange(run, {})});
      run.clear();
      in_run = 0;
    }
    cuts.insert(cuts.end(), std::make_move_iterator(run.begin()),
                std::make_move_iterator(run.end()));
  }
};

}  // namespace

std::vector<Cut> cut_body(std::string_view body) {
  std::vector<Cut> cuts;
  if (body.size() > json::kMaxText) return cuts;
  const auto document = json::parse(body);
  if (document) Cutter().cut(document->root(), 0, cuts);
  return cuts;
}

}  // namespace spoor::proxy
