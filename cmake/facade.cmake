# What a program that uses spoor links: `#include <spoor/spoor.h>`, target spoor::spoor. The name
# `spoor` alone is the command line's program.
add_library(spoor_facade INTERFACE)
add_library(spoor::spoor ALIAS spoor_facade)
set_target_properties(spoor_facade PROPERTIES EXPORT_NAME spoor)
target_include_directories(spoor_facade INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(spoor_facade INTERFACE spoor_report spoor_import)
