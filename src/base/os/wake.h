#pragma once

#include "base/descriptor.h"

namespace spoor::os {

/// Wakes a thread that waits with poll(2). Linux: eventfd(2); elsewhere a pipe. Thread-safe.
class Wake {
 public:
  Wake();

  int file() const { return file_.number(); }  ///< readable after ring()
  void ring() const;                           ///< never waits
  void clear() const;                          ///< forgets all rings so far

 private:
  Descriptor file_;
  Descriptor in_;  // The other end of a pipe.
};

}  // namespace spoor::os
