# The tool chain of a release (docs/adr/0058): zig compiles for SPOOR_TARGET, on whatever system, with
# the headers and C libraries that it carries. SPOOR_ZIG is its program.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SPOOR_TARGET SPOOR_ZIG)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${SPOOR_TARGET})
if(SPOOR_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

# CMake and OpenSSL want a program of one name each.
set(tools ${CMAKE_BINARY_DIR}/zig)
if(NOT EXISTS ${tools}/ranlib)
  foreach(tool cc c++ ar ranlib)
    set(options "")
    if(tool MATCHES "^c")
      set(options " -target ${SPOOR_TARGET} -g0")  # It adds 400 MB of debug information unasked.
    endif()
    file(CONFIGURE OUTPUT ${tools}/${tool} @ONLY
      CONTENT "#!/bin/sh\nexec '@SPOOR_ZIG@' @tool@@options@ \"$@\"\n")
    file(CHMOD ${tools}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
endif()
set(CMAKE_C_COMPILER ${tools}/cc)
set(CMAKE_CXX_COMPILER ${tools}/c++)
set(CMAKE_AR ${tools}/ar)
set(CMAKE_RANLIB ${tools}/ranlib)

# Runs what another processor understands, where this system can.
if(NOT SPOOR_TARGET MATCHES "macos" AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  find_program(SPOOR_EMULATOR NAMES qemu-${CMAKE_SYSTEM_PROCESSOR}-static qemu-${CMAKE_SYSTEM_PROCESSOR}
    NO_CMAKE_FIND_ROOT_PATH)
  if(SPOOR_EMULATOR)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${SPOOR_EMULATOR})
  endif()
endif()

# Only what packaging/libraries built, never what this system has.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
