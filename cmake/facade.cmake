# What a program that uses spoor links: `#include <spoor/spoor.h>`, target spoor::spoor. The name
# `spoor` alone is the command line's program.
add_library(spoor::spoor ALIAS spoor_facade)
target_include_directories(spoor_facade PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
