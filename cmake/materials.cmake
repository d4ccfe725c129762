# What the program is made of, for those who ship it: an SPDX 2.3 document (spdx.github.io/spdx-spec)
# and the licences, both written by the build. A line each: the name, pkg-config's and Debian's
# names for it, its licence (spdx.org/licenses), where it comes from.
set(boost libboost-dev)
if(EXISTS /usr/share/doc/libboost1.81-dev)
  set(boost libboost1.81-dev)
endif()
# Other compilers use the libstdc++ of a GCC, whose number a header has.
set(libstdcxx ${CMAKE_CXX_COMPILER_VERSION})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(WRITE ${PROJECT_BINARY_DIR}/libstdcxx.h "#include <cstddef>\n_GLIBCXX_RELEASE\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E -P -x c++ ${PROJECT_BINARY_DIR}/libstdcxx.h
    OUTPUT_VARIABLE libstdcxx ERROR_QUIET)
  string(REGEX MATCH "[0-9]+[ \n]*$" libstdcxx "${libstdcxx}")
  string(STRIP "${libstdcxx}" libstdcxx)
endif()
set(materials
  "SQLite|sqlite3|libsqlite3-dev|blessing|https://www.sqlite.org"
  "OpenSSL|libcrypto|libssl-dev|Apache-2.0|https://www.openssl.org"
  "fmt|fmt|libfmt-dev|MIT|https://github.com/fmtlib/fmt"
  "Zstandard|libzstd|libzstd-dev|BSD-3-Clause|https://github.com/facebook/zstd"
  "utf8proc|libutf8proc|libutf8proc-dev|MIT AND Unicode-DFS-2016|https://juliastrings.github.io/utf8proc"
  "zlib|zlib|zlib1g-dev|Zlib|https://zlib.net"
  "RE2|re2|libre2-dev|BSD-3-Clause|https://github.com/google/re2"
  "toml++|tomlplusplus|libtomlplusplus-dev|MIT|https://github.com/marzer/tomlplusplus"
  "Boost||${boost}|BSL-1.0|https://www.boost.org"
  "Brotli|libbrotlidec|libbrotli-dev|MIT|https://github.com/google/brotli"
  "libedit|libedit|libedit-dev|BSD-3-Clause|https://www.thrysoee.dk/editline"
  "libbsd|libbsd|libbsd-dev|BSD-3-Clause|https://libbsd.freedesktop.org"
  "libmd|libmd|libmd-dev|BSD-3-Clause|https://www.hadrons.org/software/libmd"
  "ncurses|ncursesw|libncurses-dev|X11-distribute-modifications-variant|https://invisible-island.net/ncurses"
  "libstdc++||libstdc++-${libstdcxx}-dev|GPL-3.0-or-later WITH GCC-exception-3.1|https://gcc.gnu.org"
)

# The page has this inside (page/package-lock.json).
file(STRINGS ${PROJECT_SOURCE_DIR}/page/package.json preact REGEX "\"preact\":")
string(REGEX REPLACE ".*: *\"([0-9.]+)\".*" "\\1" version_of_Preact "${preact}")
set(purl_of_Preact "pkg:npm/preact@${version_of_Preact}")
set(licence_of_Preact ${PROJECT_SOURCE_DIR}/page/LICENSE.preact)
list(APPEND materials "Preact||preact|MIT|https://preactjs.com")

# A self-contained program has other versions of these, which packaging/sources.txt names, and is
# compiled by zig, which brings its own C++ runtime and C library.
if(SPOOR_SELF_CONTAINED)
  list(FILTER materials EXCLUDE REGEX "^(libbsd|libmd|libstdc\\+\\+)\\|")
  list(APPEND materials
    "curl|libcurl|libcurl4-openssl-dev|curl|https://curl.se"
    "libpq|libpq|libpq-dev|PostgreSQL|https://www.postgresql.org"
    "Abseil||libabsl-dev|Apache-2.0|https://abseil.io"
    "libc++||libc++-dev|Apache-2.0 WITH LLVM-exception|https://libcxx.llvm.org")
  if(SPOOR_TARGET MATCHES "musl")
    list(APPEND materials "musl||musl-dev|MIT|https://musl.libc.org")
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/packaging/sources.txt sources REGEX "^[^#]")
  foreach(line ${sources})
    string(REPLACE "|" ";" parts "${line};")
    list(GET parts 0 name)
    list(GET parts 1 version_of_${name})
    list(GET parts 7 licence)
    if(licence)
      set(licence_of_${name} ${SPOOR_SOURCES}/${name}/${licence})
    endif()
  endforeach()
  file(STRINGS ${SPOOR_SOURCES}/RE2/vendor/abseil-cpp/absl/base/config.h abseil REGEX "define ABSL_LTS_RELEASE_VERSION")
  string(REGEX REPLACE ".* " "" version_of_Abseil "${abseil}")
  set(licence_of_Abseil ${SPOOR_SOURCES}/RE2/vendor/abseil-cpp/LICENSE)
  cmake_path(GET SPOOR_ZIG PARENT_PATH zig)
  set(version_of_libc++ ${CMAKE_CXX_COMPILER_VERSION})
  set(licence_of_libc++ ${zig}/lib/libcxx/LICENSE.TXT)
  execute_process(COMMAND ${SPOOR_ZIG} version OUTPUT_VARIABLE version_of_musl OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(version_of_musl "1.2 of zig ${version_of_musl}")
  set(licence_of_musl ${zig}/lib/libc/musl/COPYRIGHT)
endif()

find_program(SPOOR_PKG_CONFIG NAMES pkg-config pkgconf)
find_program(SPOOR_DPKG_QUERY dpkg-query)
cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID)

set(bill ${PROJECT_BINARY_DIR}/spoor.spdx.json)
set(notices ${PROJECT_BINARY_DIR}/NOTICES)
set(packages "")
set(relations "")
set(linked "")
file(WRITE ${notices}.new "The program spoor contains code of these projects.\n")
foreach(line ${materials})
  string(REPLACE "|" ";" parts "${line}")
  list(GET parts 0 name)
  list(GET parts 1 pkg_config)
  list(GET parts 2 debian)
  list(GET parts 3 licence)
  list(GET parts 4 home)
  set(version NOASSERTION)
  if(DEFINED version_of_${name})
    set(version ${version_of_${name}})
  elseif(name STREQUAL "libstdc++")
    set(version ${libstdcxx})
    string(REGEX REPLACE "-([0-9]+)[0-9.]*-dev" "-\\1-dev" debian ${debian})
  elseif(name STREQUAL "utf8proc")  # Its pkg-config file has the number of the interface.
    file(STRINGS ${SPOOR_UTF8PROC_INCLUDE}/utf8proc.h version REGEX "define UTF8PROC_VERSION_")
    list(TRANSFORM version REPLACE "^[^ ]+ [^ ]+ +([0-9]+).*" "\\1")
    list(JOIN version "." version)
  elseif(name STREQUAL "Boost")
    file(STRINGS ${SPOOR_BOOST_INCLUDE}/boost/version.hpp version REGEX "define BOOST_LIB_VERSION")
    string(REGEX REPLACE ".*\"([0-9_]+)\".*" "\\1" version "${version}")
    string(REPLACE "_" "." version "${version}")
  elseif(SPOOR_PKG_CONFIG)
    execute_process(COMMAND ${SPOOR_PKG_CONFIG} --modversion ${pkg_config}
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND found STREQUAL "0.0.0" AND SPOOR_DPKG_QUERY)  # RE2 has no number, but dates.
      execute_process(COMMAND ${SPOOR_DPKG_QUERY} --show "--showformat=\${source:Upstream-Version}" ${debian}
        OUTPUT_VARIABLE found ERROR_QUIET)
      string(REGEX REPLACE "[+~].*" "" found "${found}")
    endif()
    if(status EQUAL 0)
      set(version ${found})
    endif()
  endif()
  # The package it came from, with the distribution's own version (github.com/package-url/purl-spec).
  set(reference "")
  if(DEFINED purl_of_${name})
    set(reference ",
     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\",
                       \"referenceLocator\": \"${purl_of_${name}}\"}]")
  elseif(SPOOR_DPKG_QUERY AND NOT DEFINED version_of_${name})
    execute_process(COMMAND ${SPOOR_DPKG_QUERY} --show "--showformat=${debian}@\${Version}?arch=\${Architecture}" ${debian}
      OUTPUT_VARIABLE purl ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      string(REPLACE "+" "%2B" purl "${purl}")
      string(REPLACE ":" "%3A" purl "${purl}")
      set(reference ",
     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\",
                       \"referenceLocator\": \"pkg:deb/${distribution}/${purl}\"}]")
    endif()
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9.]" "-" id "${name}")
  string(APPEND packages ",
    {\"SPDXID\": \"SPDXRef-${id}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\",
     \"downloadLocation\": \"${home}\", \"filesAnalyzed\": false, \"licenseConcluded\": \"${licence}\",
     \"licenseDeclared\": \"${licence}\", \"copyrightText\": \"NOASSERTION\"${reference}}")
  string(APPEND relations ",
    {\"spdxElementId\": \"SPDXRef-spoor\", \"relationshipType\": \"STATIC_LINK\",
     \"relatedSpdxElement\": \"SPDXRef-${id}\"}")
  file(APPEND ${notices}.new "\n==== ${name} ${version}: ${licence}, ${home}\n")
  string(APPEND linked "    {\"${name}\", \"${version}\"},\n")
  if(NOT DEFINED licence_of_${name})
    set(licence_of_${name} /usr/share/doc/${debian}/copyright)
  endif()
  if(EXISTS ${licence_of_${name}})
    file(READ ${licence_of_${name}} text)
    file(APPEND ${notices}.new "\n${text}")
  endif()
endforeach()

# Which the notices above only name.
set(apache /usr/share/common-licenses/Apache-2.0)
if(EXISTS ${apache})
  file(READ ${apache} text)
  file(APPEND ${notices}.new "\n==== The Apache License\n\n${text}")
endif()

# The time of the source, where the builder says it (reproducible-builds.org/specs/source-date-epoch).
set(created "1970-01-01T00:00:00Z")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
endif()
file(WRITE ${bill}.new "{
  \"spdxVersion\": \"SPDX-2.3\", \"dataLicense\": \"CC0-1.0\", \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"spoor-${PROJECT_VERSION}\",
  \"documentNamespace\": \"https://spoor.invalid/spdx/spoor-${PROJECT_VERSION}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: spoor-build\"]},
  \"packages\": [
    {\"SPDXID\": \"SPDXRef-spoor\", \"name\": \"spoor\", \"versionInfo\": \"${PROJECT_VERSION}\",
     \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
     \"licenseConcluded\": \"MIT\", \"licenseDeclared\": \"MIT\",
     \"copyrightText\": \"NOASSERTION\"}${packages}
  ],
  \"relationships\": [
    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\",
     \"relatedSpdxElement\": \"SPDXRef-spoor\"}${relations}
  ]
}
")
# What `spoor version --json` prints.
set(linked_source ${PROJECT_BINARY_DIR}/linked_libraries.cc)
file(WRITE ${linked_source}.new "// Made by cmake/materials.cmake.
#include \"cli/version.h\"

namespace spoor::cli {
namespace {

constexpr LinkedLibrary kLinked[] = {
${linked}};

}  // namespace

std::span<const LinkedLibrary> linked_libraries() { return kLinked; }

}  // namespace spoor::cli
")
target_sources(spoor_cli PRIVATE ${linked_source})

foreach(file ${bill} ${notices} ${linked_source})
  file(COPY_FILE ${file}.new ${file} ONLY_IF_DIFFERENT)
endforeach()

include(GNUInstallDirs)
install(FILES ${bill} ${notices} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
