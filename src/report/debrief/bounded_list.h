#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace spoor::report::debrief {

/// A list of any length that keeps its beginning and its end: at most `most` elements, half of them
/// the first and half the last. A value; for one thread.
template <class T>
class BoundedList {
 public:
  explicit BoundedList(std::size_t most = 1'000) : most_(most) {}

  /// Returns the element's index, which never changes.
  std::uint64_t add(T element) {
    const std::size_t first = most_ - most_ / 2;
    if (head_.size() < first) {
      head_.push_back(std::move(element));
    } else {
      tail_.push_back(std::move(element));
      if (tail_.size() > most_ - first) tail_.pop_front();
    }
    return total_++;
  }

  /// Returns the element, or null if it was left out or never existed.
  T* at(std::uint64_t index) {
    if (index < head_.size()) return &head_[index];
    if (index >= total_ || index < total_ - tail_.size()) return nullptr;
    return &tail_[index - (total_ - tail_.size())];
  }

  const std::vector<T>& head() const { return head_; }
  const std::deque<T>& tail() const { return tail_; }  ///< follows the elements left out
  std::uint64_t total() const { return total_; }       ///< how many were added
  std::uint64_t left_out() const { return total_ - size(); }
  std::size_t size() const { return head_.size() + tail_.size(); }
  bool empty() const { return total_ == 0; }

  /// Calls `change` with each kept element, which it may change.
  template <class Change>
  void each(const Change& change) {
    for (T& element : head_) change(element);
    for (T& element : tail_) change(element);
  }

  /// Calls `show` with each kept element, and at the gap calls `gap` with the number left out.
  template <class Show, class Gap>
  void visit(const Show& show, const Gap& gap) const {
    visit(size(), show, gap);
  }
  template <class Show>
  void visit(const Show& show) const {
    visit(show, [](std::uint64_t) {});
  }

  /// Does the same with at most `most` elements, half of them the first and half the last.
  template <class Show, class Gap>
  void visit(std::size_t most, const Show& show, const Gap& gap) const {
    const std::size_t shown = std::min(most, size());
    const std::size_t first = shown - shown / 2;  // All in head_, which is the longer part.
    for (std::size_t i = 0; i < first; ++i) show(head_[i]);
    if (total_ > shown) gap(total_ - shown);
    for (std::size_t i = size() - shown / 2; i < size(); ++i) {
      show(i < head_.size() ? head_[i] : tail_[i - head_.size()]);
    }
  }

 private:
  std::size_t most_;
  std::vector<T> head_;
  std::deque<T> tail_;
  std::uint64_t total_ = 0;
};

}  // namespace spoor::report::debrief
