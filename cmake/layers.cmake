# spoor_layer(name [USES layer…] [PACKAGES target…])
#
# One layer is one directory under src/, one static library `spoor_<name>` and one
# include root that holds only `<name>/`: what a layer does not USE it cannot include.
# One of x_linux.cc and x_posix.cc is compiled (SPOOR_POSIX_ONLY).
# SPOOR_LAYERS lists all of them, SPOOR_REACH_<name> those that one can include, itself too.
function(spoor_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;PACKAGES")

  set(root "${PROJECT_BINARY_DIR}/roots/${name}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${name}" "${root}/${name}" SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(SPOOR_POSIX_ONLY)
    list(FILTER sources EXCLUDE REGEX "_linux\\.cc$")
  else()
    list(FILTER sources EXCLUDE REGEX "_posix\\.cc$")
  endif()

  set(reach ${name})
  foreach(used ${arg_USES})
    list(APPEND reach ${SPOOR_REACH_${used}})
  endforeach()
  list(REMOVE_DUPLICATES reach)
  set(SPOOR_REACH_${name} ${reach} PARENT_SCOPE)
  set(SPOOR_LAYERS ${SPOOR_LAYERS} ${name} PARENT_SCOPE)

  list(TRANSFORM arg_USES PREPEND spoor_)
  add_library(spoor_${name} STATIC ${sources})
  target_include_directories(spoor_${name} PUBLIC $<BUILD_INTERFACE:${root}>)
  target_link_libraries(spoor_${name} PUBLIC ${arg_USES} ${arg_PACKAGES} PRIVATE $<BUILD_INTERFACE:spoor_flags>)
  spoor_compile_together(spoor_${name})
  spoor_precompile(spoor_${name})
endfunction()
