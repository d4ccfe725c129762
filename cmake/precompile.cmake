# spoor_precompile(layer): with SPOOR_PRECOMPILE the headers that most sources include are compiled once,
# for the command line with its own, for all other layers together. That takes a third of the time to
# compile, and would hide an include that a source lacks, so only the preset `light` has it.
set(SPOOR_PRECOMPILED <algorithm> <array> <chrono> <functional> <map> <memory> <mutex> <optional> <set> <span>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <base/result.h>)

function(spoor_precompile layer)
  if(NOT SPOOR_PRECOMPILE)
    return()
  endif()
  if(layer STREQUAL "spoor_base")
    target_precompile_headers(${layer} PRIVATE ${SPOOR_PRECOMPILED})
  elseif(layer STREQUAL "spoor_cli")
    target_precompile_headers(${layer} PRIVATE ${SPOOR_PRECOMPILED} <api/json_writer.h>
      <cli/session.h> <cli/views/turn_text.h>)
  else()
    target_precompile_headers(${layer} REUSE_FROM spoor_base)
  endif()
endfunction()
