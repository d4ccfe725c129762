# What makes a mistake of ours harder to use against somebody, where compiler and linker have it. In
# a release; other builds look for mistakes with sanitizers. Source: the OpenSSF's guide to compiler
# options for C and C++. No option here may change what a program prints.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES CXX)

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SPOOR_SANITIZE)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
               -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "spoor_has${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      add_compile_options(${flag})
    endif()
  endforeach()
  # Level 3 where the C library knows it (glibc 2.34), else it takes it for 2.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")  # macOS's linker does so unasked.
    add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()

  # The same tree gives the same bytes, wherever it lies.
  add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=build
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()
