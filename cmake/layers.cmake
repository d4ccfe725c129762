# spoor_layer(name [USES layer…] [PACKAGES target…])
#
# One layer is one directory under src/, one static library `spoor_<name>` and one
# include root that holds only `<name>/`: what a layer does not USE it cannot include.
function(spoor_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;PACKAGES")

  set(root "${PROJECT_BINARY_DIR}/roots/${name}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${name}" "${root}/${name}" SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  list(TRANSFORM arg_USES PREPEND spoor_)

  add_library(spoor_${name} STATIC ${sources})
  target_include_directories(spoor_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(spoor_${name} PUBLIC ${arg_USES} ${arg_PACKAGES} PRIVATE $<BUILD_INTERFACE:spoor_flags>)
  spoor_compile_together(spoor_${name} EXCEPT "/src/(llm/render|agent/builtin|cli/commands)/")
endfunction()
