# Everything spoor links, in one place. Debian's names for it: ./dev. Why these: docs/adr/0007.
#
# SQLite and libcrypto are linked statically: a process that prints twenty lines of history must
# not spend its time in the dynamic loader.
find_package(Threads REQUIRED)

# True for a shared library of ours (cmake/c.cmake), of which Debian's libzstd.a and libre2.a cannot be
# a part: they are not position-independent. Those of packaging/libraries are.
set(into_shared $<BOOL:$<TARGET_PROPERTY:SPOOR_IS_SHARED>>)
if(SPOOR_SELF_CONTAINED)
  set(into_shared 0)
endif()

# What a release carries of its C++ runtime: one library less to load at each start. zig's is inside anyway.
set(SPOOR_RUNTIME "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SPOOR_SELF_CONTAINED)
  set(SPOOR_RUNTIME -static-libstdc++ -static-libgcc)
endif()

# Without symbols: the strip of this system knows the files of no other.
if(SPOOR_SELF_CONTAINED)
  add_link_options(-Wl,-s)
endif()

find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

# The static archives, where the system has them. Not by OPENSSL_USE_STATIC_LIBS: that asks for all
# that some part of libcrypto.a might need, zlib for example, and we use its hashing alone.
find_library(SPOOR_SQLITE_ARCHIVE NAMES libsqlite3.a)
find_library(SPOOR_CRYPTO_ARCHIVE NAMES libcrypto.a)
set(sqlite SQLite::SQLite3)
set(crypto OpenSSL::Crypto)
if(SPOOR_SQLITE_ARCHIVE)
  set(sqlite ${SPOOR_SQLITE_ARCHIVE} m)
endif()
if(SPOOR_CRYPTO_ARCHIVE)
  set(crypto ${SPOOR_CRYPTO_ARCHIVE})
endif()

# ncurses with wide characters, for the terminal browser (docs/adr/0062), and libedit, for the
# interactive session (docs/adr/0011), alone. As archives: shared ones would be loaded, with those that
# they stand on, at the start of every other command.
find_path(SPOOR_CURSES_INCLUDE curses.h REQUIRED)
find_library(SPOOR_CURSES_ARCHIVE NAMES libncursesw.a)
find_library(SPOOR_TINFO_ARCHIVE NAMES libtinfo.a)
add_library(spoor_curses INTERFACE)
target_include_directories(spoor_curses INTERFACE ${SPOOR_CURSES_INCLUDE})
if(SPOOR_CURSES_ARCHIVE AND SPOOR_SELF_CONTAINED)
  target_link_libraries(spoor_curses INTERFACE ${SPOOR_CURSES_ARCHIVE})
elseif(SPOOR_CURSES_ARCHIVE AND SPOOR_TINFO_ARCHIVE)
  target_link_libraries(spoor_curses INTERFACE ${SPOOR_CURSES_ARCHIVE} ${SPOOR_TINFO_ARCHIVE})
else()
  find_library(SPOOR_CURSES_SHARED NAMES ncursesw REQUIRED)
  target_link_libraries(spoor_curses INTERFACE ${SPOOR_CURSES_SHARED})
endif()

find_path(SPOOR_EDIT_INCLUDE histedit.h REQUIRED)
find_library(SPOOR_EDIT_ARCHIVE NAMES libedit.a)
find_library(SPOOR_BSD_ARCHIVE NAMES libbsd.a)
find_library(SPOOR_MD_ARCHIVE NAMES libmd.a)
add_library(spoor_editor INTERFACE)
target_include_directories(spoor_editor INTERFACE ${SPOOR_EDIT_INCLUDE})
if(SPOOR_EDIT_ARCHIVE AND SPOOR_SELF_CONTAINED)
  target_link_libraries(spoor_editor INTERFACE ${SPOOR_EDIT_ARCHIVE} spoor_curses)
elseif(SPOOR_EDIT_ARCHIVE AND SPOOR_BSD_ARCHIVE AND SPOOR_MD_ARCHIVE AND SPOOR_TINFO_ARCHIVE)
  target_link_libraries(spoor_editor INTERFACE
    ${SPOOR_EDIT_ARCHIVE} ${SPOOR_BSD_ARCHIVE} ${SPOOR_MD_ARCHIVE} ${SPOOR_TINFO_ARCHIVE})
else()
  find_library(SPOOR_EDIT_SHARED NAMES edit REQUIRED)
  target_link_libraries(spoor_editor INTERFACE ${SPOOR_EDIT_SHARED})
endif()

# libcurl's header only: the library is loaded at the first call of a model (docs/adr/0017).
find_path(SPOOR_CURL_INCLUDE curl/curl.h REQUIRED)

# libpq's header only: the library is loaded when a store in PostgreSQL is opened (docs/adr/0046).
find_path(SPOOR_PQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)

# zstd, for what lies packed in a store (docs/adr/0027).
find_path(SPOOR_ZSTD_INCLUDE zdict.h REQUIRED)
find_library(SPOOR_ZSTD_ARCHIVE NAMES libzstd.a)
find_library(SPOOR_ZSTD_SHARED NAMES zstd)
set(zstd ${SPOOR_ZSTD_SHARED})
if(SPOOR_ZSTD_ARCHIVE)
  set(zstd ${SPOOR_ZSTD_ARCHIVE})
endif()
if(NOT zstd)
  message(FATAL_ERROR "zstd's header is here, its library is not")
endif()

# utf8proc, for the width of characters (docs/adr/0036). As an archive, like the others.
find_path(SPOOR_UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_library(SPOOR_UTF8PROC_ARCHIVE NAMES libutf8proc.a)
find_library(SPOOR_UTF8PROC_SHARED NAMES utf8proc)
set(utf8proc ${SPOOR_UTF8PROC_SHARED})
if(SPOOR_UTF8PROC_ARCHIVE)
  set(utf8proc ${SPOOR_UTF8PROC_ARCHIVE})
endif()
if(NOT utf8proc)
  message(FATAL_ERROR "utf8proc's header is here, its library is not")
endif()

# zlib, for the packs of a git repository (docs/adr/0014) and for archives of Inspect's logs
# (docs/adr/0028).
find_package(ZLIB REQUIRED)
find_library(SPOOR_ZLIB_ARCHIVE NAMES libz.a)
add_library(spoor_zlib INTERFACE)
target_include_directories(spoor_zlib INTERFACE $<BUILD_INTERFACE:${ZLIB_INCLUDE_DIRS}>)
if(SPOOR_ZLIB_ARCHIVE)
  target_link_libraries(spoor_zlib INTERFACE $<BUILD_INTERFACE:${SPOOR_ZLIB_ARCHIVE}>)
else()
  target_link_libraries(spoor_zlib INTERFACE $<BUILD_INTERFACE:ZLIB::ZLIB>)
endif()
target_link_libraries(spoor_zlib INTERFACE $<INSTALL_INTERFACE:ZLIB::ZLIB>)

# Boost.Asio and Boost.Beast, for the proxy (docs/adr/0043): headers alone.
# 1.81 is the first whose coroutines can wait for one of two things.
find_path(SPOOR_BOOST_INCLUDE boost/asio/experimental/awaitable_operators.hpp REQUIRED)
add_library(spoor_boost INTERFACE)
target_include_directories(spoor_boost SYSTEM INTERFACE $<BUILD_INTERFACE:${SPOOR_BOOST_INCLUDE}>)

# protozero, for telemetry in protobuf's wire format (docs/adr/0045): headers alone.
find_path(SPOOR_PROTOZERO_INCLUDE protozero/pbf_reader.hpp REQUIRED)
add_library(spoor_protozero INTERFACE)
target_include_directories(spoor_protozero SYSTEM INTERFACE
  $<BUILD_INTERFACE:${SPOOR_PROTOZERO_INCLUDE}>)

# Brotli, for compressed responses that pass through the proxy. As archives, like the others.
find_path(SPOOR_BROTLI_INCLUDE brotli/decode.h REQUIRED)
find_library(SPOOR_BROTLI_ARCHIVE NAMES libbrotlidec.a libbrotlidec-static.a)
find_library(SPOOR_BROTLI_COMMON_ARCHIVE NAMES libbrotlicommon.a libbrotlicommon-static.a)
find_library(SPOOR_BROTLI_SHARED NAMES brotlidec)
set(brotli ${SPOOR_BROTLI_SHARED})
if(SPOOR_BROTLI_ARCHIVE AND SPOOR_BROTLI_COMMON_ARCHIVE)
  set(brotli ${SPOOR_BROTLI_ARCHIVE} ${SPOOR_BROTLI_COMMON_ARCHIVE})
endif()
add_library(spoor_brotli INTERFACE)
target_include_directories(spoor_brotli INTERFACE $<BUILD_INTERFACE:${SPOOR_BROTLI_INCLUDE}>)
target_link_libraries(spoor_brotli INTERFACE $<BUILD_INTERFACE:${brotli}> $<INSTALL_INTERFACE:brotlidec>)

# RE2, for redaction rules (docs/adr/0021) and the agent's grep: expressions that take linear time,
# whoever wrote them. As an archive, like the others; from the versions on that stand on Abseil as
# what the system has.
find_path(SPOOR_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(SPOOR_RE2_ARCHIVE NAMES libre2.a)
find_library(SPOOR_RE2_SHARED NAMES re2)
file(STRINGS ${SPOOR_RE2_INCLUDE}/re2/re2.h re2_on_abseil REGEX "#include \"absl/" LIMIT_COUNT 1)
add_library(spoor_re2 INTERFACE)
target_include_directories(spoor_re2 INTERFACE $<BUILD_INTERFACE:${SPOOR_RE2_INCLUDE}>)
if(SPOOR_RE2_ARCHIVE AND (SPOOR_SELF_CONTAINED OR NOT re2_on_abseil))
  target_link_libraries(spoor_re2 INTERFACE
    $<BUILD_INTERFACE:$<IF:${into_shared},${SPOOR_RE2_SHARED},${SPOOR_RE2_ARCHIVE}>>)
elseif(SPOOR_RE2_SHARED)
  target_link_libraries(spoor_re2 INTERFACE $<BUILD_INTERFACE:${SPOOR_RE2_SHARED}>)
else()
  message(FATAL_ERROR "RE2's header is here, its library is not")
endif()
target_link_libraries(spoor_re2 INTERFACE $<INSTALL_INTERFACE:re2> Threads::Threads)

# toml++, headers alone, for settings and the files of such rules.
find_path(SPOOR_TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(spoor_toml INTERFACE)
target_include_directories(spoor_toml SYSTEM INTERFACE $<BUILD_INTERFACE:${SPOOR_TOML_INCLUDE}>)

# fmt is inside our archives where start-up counts, and is linked as a library where the time
# to compile does: that halves it.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(fmt fmt::fmt-header-only)
else()
  set(fmt fmt::fmt)
  set(SPOOR_NEEDS_FMT TRUE)
endif()

# nlohmann_json, headers alone: the JSON of programs that use spoor (include/spoor/json.h).
find_package(nlohmann_json REQUIRED)

# A program that links our installed archives brings its own libraries: any kind of them does. They
# are named in three places: here, in spoorConfig.cmake.in and in spoor.pc.in.
add_library(spoor_deps INTERFACE)
target_compile_features(spoor_deps INTERFACE cxx_std_20)
set(zstd $<IF:${into_shared},${SPOOR_ZSTD_SHARED},${zstd}>)
set(clients "")  # Before libcrypto, which they need.
if(SPOOR_SELF_CONTAINED)
  foreach(name curl pq ssl)
    find_library(SPOOR_${name}_ARCHIVE NAMES lib${name}.a REQUIRED)
    list(APPEND clients ${SPOOR_${name}_ARCHIVE})
  endforeach()
  target_compile_definitions(spoor_deps INTERFACE SPOOR_SELF_CONTAINED)
endif()
foreach(library ${fmt} ${clients} ${crypto} ${sqlite} ${zstd} ${utf8proc})
  target_link_libraries(spoor_deps INTERFACE $<BUILD_INTERFACE:${library}>)
endforeach()
foreach(library OpenSSL::Crypto SQLite::SQLite3 zstd utf8proc $<$<BOOL:${SPOOR_NEEDS_FMT}>:fmt::fmt>)
  target_link_libraries(spoor_deps INTERFACE $<INSTALL_INTERFACE:${library}>)
endforeach()
target_include_directories(spoor_deps INTERFACE
  $<BUILD_INTERFACE:${SQLite3_INCLUDE_DIRS}> $<BUILD_INTERFACE:${OPENSSL_INCLUDE_DIR}>
  $<BUILD_INTERFACE:${SPOOR_ZSTD_INCLUDE}> $<BUILD_INTERFACE:${SPOOR_CURL_INCLUDE}>
  $<BUILD_INTERFACE:${SPOOR_UTF8PROC_INCLUDE}> $<BUILD_INTERFACE:${SPOOR_PQ_INCLUDE}>)
target_link_libraries(spoor_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
