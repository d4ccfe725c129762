# Everything spoor links, in one place. Debian packages: see the list in ./dev.
# SQLite and libcrypto are linked statically: a process that prints twenty lines
# of history must not spend its time in the dynamic loader (docs/adr).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

find_library(SPOOR_SQLITE_STATIC NAMES libsqlite3.a)
add_library(spoor_deps INTERFACE)
target_link_libraries(spoor_deps INTERFACE
  fmt::fmt-header-only nlohmann_json::nlohmann_json OpenSSL::Crypto Threads::Threads m ${CMAKE_DL_LIBS})
if(SPOOR_SQLITE_STATIC)
  target_link_libraries(spoor_deps INTERFACE ${SPOOR_SQLITE_STATIC})
else()
  target_link_libraries(spoor_deps INTERFACE SQLite::SQLite3)
endif()
