# The one binary.
add_executable(spoor ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(spoor PRIVATE spoor_cli spoor_flags -static-libstdc++ -static-libgcc)
target_compile_definitions(spoor_cli PUBLIC SPOOR_VERSION="${PROJECT_VERSION}")
