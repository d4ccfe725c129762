# Everything spoor links, in one place. Debian's names for it: ./dev. Why these: docs/adr/0007.
#
# SQLite and libcrypto are linked statically: a process that prints twenty lines of history must
# not spend its time in the dynamic loader.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

find_library(SPOOR_SQLITE_STATIC NAMES libsqlite3.a)
if(SPOOR_SQLITE_STATIC)
  set(SPOOR_SQLITE ${SPOOR_SQLITE_STATIC} m)
else()
  set(SPOOR_SQLITE SQLite::SQLite3)
endif()

# A program that links our installed archives brings its own SQLite and libcrypto: any kind does
# (cmake/spoorConfig.cmake.in). What is header-only has left no trace in an archive.
# fmt inside the binary where start-up counts; as a shared library where compile
# time does: it halves the time of a file.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(spoor_fmt fmt::fmt-header-only)
else()
  set(spoor_fmt fmt::fmt)
endif()

add_library(spoor_deps INTERFACE)
target_compile_features(spoor_deps INTERFACE cxx_std_20)
foreach(library ${spoor_fmt} nlohmann_json::nlohmann_json OpenSSL::Crypto ${SPOOR_SQLITE})
  target_link_libraries(spoor_deps INTERFACE $<BUILD_INTERFACE:${library}>)
endforeach()
if(spoor_fmt STREQUAL "fmt::fmt")
  set(SPOOR_SHARED_FMT fmt)
  set(spoor_installed_fmt fmt::fmt)
endif()
foreach(library OpenSSL::Crypto SQLite::SQLite3 ${spoor_installed_fmt})
  target_link_libraries(spoor_deps INTERFACE $<INSTALL_INTERFACE:${library}>)
endforeach()
target_link_libraries(spoor_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
