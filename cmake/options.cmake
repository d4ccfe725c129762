option(SPOOR_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SPOOR_BUILD_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(SPOOR_BUILD_FUZZERS "Build the fuzz targets with libFuzzer (needs clang)" OFF)
option(SPOOR_PRECOMPILE "Precompile the headers that most sources include" OFF)
option(SPOOR_WERROR "Treat warnings as errors" OFF)
option(SPOOR_SELF_CONTAINED "Link every library from archives, libcurl and libpq too (docs/packages.md)" OFF)
option(SPOOR_POSIX_ONLY "Use no function that only Linux has (implied on other systems)" OFF)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(SPOOR_POSIX_ONLY ON)
endif()
set(SPOOR_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(SPOOR_CCACHE ccache)
if(SPOOR_CCACHE AND NOT SPOOR_PRECOMPILE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SPOOR_CCACHE})
endif()

add_library(spoor_flags INTERFACE)
target_compile_options(spoor_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  -Wno-missing-field-initializers)  # A designated initialiser names what it sets; the rest is default.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
  target_compile_options(spoor_flags INTERFACE -Wno-c2y-extensions)  # TRY counts with __COUNTER__.
  # At -O3 it stores what it had loaded before over a std::variant that was written meanwhile: its
  # types tell it that these are other objects.
  target_compile_options(spoor_flags INTERFACE -fno-strict-aliasing)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
  # At -O3 g++ 12 sees overlaps in std::string's own `"x" + string` (GCC bug 105651).
  target_compile_options(spoor_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A class with members of anonymous types is one of a single source here as well.
  target_compile_options(spoor_flags INTERFACE -Wno-subobject-linkage)
endif()
if(SPOOR_WERROR)
  target_compile_options(spoor_flags INTERFACE -Werror)
endif()
if(SPOOR_SANITIZE)
  add_compile_options(-fsanitize=${SPOOR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SPOOR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND SPOOR_SANITIZE MATCHES "undefined")
    # Clang 14 cannot assemble its marks in all inline functions.
    add_compile_options(-fno-sanitize=function)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)  # Instrumented code misleads it (GCC bug 105562).
  endif()
endif()
if(SPOOR_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # Coverage of our own code steers the fuzzer.
endif()
