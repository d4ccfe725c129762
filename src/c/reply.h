#pragma once

#include <string>

#include "spoor/c.h"

/// Where a function of the program puts its bytes, by spoor_give().
struct spoor_reply {
  std::string bytes;
};
