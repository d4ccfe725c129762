# libspoor.so.0, what programs in other languages load: include/spoor/c.h (docs/adr/0054). All of ours
# is inside, and nothing but `spoor_*` is visible, so that it gets on with another OpenSSL or SQLite in
# the same process.
target_include_directories(spoor_c PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(spoor_c PRIVATE SPOOR_VERSION="${PROJECT_VERSION}")

add_library(libspoor SHARED $<TARGET_OBJECTS:spoor_c>)
target_link_libraries(libspoor PRIVATE spoor_facade spoor_proxy spoor_flags ${SPOOR_RUNTIME})
target_include_directories(libspoor INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
set(exports ${PROJECT_SOURCE_DIR}/src/c/exports.map)
target_link_options(libspoor PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic -Wl,--gc-sections)
set_target_properties(libspoor PROPERTIES OUTPUT_NAME spoor VERSION ${PROJECT_VERSION} SOVERSION 0
  SPOOR_IS_SHARED TRUE BUILD_WITH_INSTALL_RPATH TRUE
  INSTALL_RPATH $ORIGIN LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
