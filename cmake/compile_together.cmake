# spoor_compile_together(target [EXCEPT regex])
#
# Where CMAKE_UNITY_BUILD is on, several sources of the target become one translation unit: what
# they share, the standard library's templates above all, is then compiled once for all of them.
# Which ones is told by a source's own path, so a new source moves no other.
#
# Sources of one layer so share their anonymous namespace: a second function of the same name and
# parameters is an error as soon as the two meet. Sources that match EXCEPT stay alone.
function(spoor_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(arg_EXCEPT AND source MATCHES "${arg_EXCEPT}")
      continue()
    endif()
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    string(MD5 hash ${path})
    string(SUBSTRING ${hash} 0 1 group)  # One of sixteen.
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
