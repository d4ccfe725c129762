#pragma once

#include "compile/base64.h"

namespace spoor::llm {

using compile::decode_base64;
using compile::encode_base64;

}  // namespace spoor::llm
