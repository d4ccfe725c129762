# The one binary. A release carries its C++ runtime, too; a dev build must not, for it shares the
# runtime with libfmt.
add_executable(spoor ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(spoor PRIVATE spoor_cli spoor_flags ${SPOOR_RUNTIME})
target_compile_definitions(spoor_cli PUBLIC SPOOR_VERSION="${PROJECT_VERSION}")
