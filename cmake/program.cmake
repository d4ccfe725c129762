# The one binary. A release carries its C++ runtime, too: one library less to load at each start. A
# dev build must not, for it shares the runtime with libfmt.
add_executable(spoor ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(spoor PRIVATE spoor_cli spoor_flags
  $<$<CONFIG:Release>:-static-libstdc++> $<$<CONFIG:Release>:-static-libgcc>)
target_compile_definitions(spoor_cli PUBLIC SPOOR_VERSION="${PROJECT_VERSION}")
