# `cmake --install build/release`: the program, and the library under the layers' own names.
# The command line layer is no library for others and stays out. The component `program` is what
# ./dev package takes: the program, its pages and its licences.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(layers ${SPOOR_LAYERS})
list(REMOVE_ITEM layers cli c)  # Programs, and libspoor.so.0.
# Two majors can be installed side by side: the headers' folder carries the number.
set(SPOOR_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/spoor-1)
set(SPOOR_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/spoor)

# --- The manifest, for ./dev uninstall ---
# Before anything else, so that it knows which of these folders are missing.
set(SPOOR_MANIFEST ${CMAKE_INSTALL_DOCDIR}/install_manifest.txt)
set(folders ${CMAKE_INSTALL_BINDIR} ${SPOOR_HEADERS} ${SPOOR_PACKAGE} ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
list(JOIN folders " " folders)
install(CODE "include(\"${PROJECT_SOURCE_DIR}/cmake/manifest.cmake\")
spoor_begin_manifest(${SPOOR_MANIFEST} ${folders})")

# --- The program, and what it says about itself ---
install(TARGETS spoor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Manual pages and completions are printed by the program, from the table it parses with.
set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man1
  COMMAND $<TARGET_FILE:spoor> help --man ${pages}/man1
  COMMAND $<TARGET_FILE:spoor> help --completion bash > ${pages}/spoor.bash
  COMMAND $<TARGET_FILE:spoor> help --completion zsh > ${pages}/_spoor
  COMMAND $<TARGET_FILE:spoor> help --completion fish > ${pages}/spoor.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
  DEPENDS spoor COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(spoor_pages ALL DEPENDS ${pages}/stamp)

install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${pages}/spoor.bash RENAME spoor
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${pages}/_spoor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT program)
install(FILES ${pages}/spoor.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)

# --- Libraries and headers ---
foreach(layer ${layers})
  set_target_properties(spoor_${layer} PROPERTIES EXPORT_NAME ${layer})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${layer} DESTINATION ${SPOOR_HEADERS}
          FILES_MATCHING PATTERN "*.h")
endforeach()
set_target_properties(spoor_facade PROPERTIES EXPORT_NAME spoor)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spoor DESTINATION ${SPOOR_HEADERS}
        FILES_MATCHING PATTERN "*.h")

list(TRANSFORM layers PREPEND spoor_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} spoor_deps spoor_zlib spoor_boost spoor_protozero spoor_brotli spoor_re2 spoor_toml EXPORT spoorTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${SPOOR_HEADERS})

# --- libspoor.so.0, for other languages ---
install(TARGETS libspoor LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# --- find_package(spoor) ---
install(EXPORT spoorTargets NAMESPACE spoor:: DESTINATION ${SPOOR_PACKAGE})
configure_package_config_file(cmake/spoorConfig.cmake.in ${PROJECT_BINARY_DIR}/spoorConfig.cmake
                              INSTALL_DESTINATION ${SPOOR_PACKAGE})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spoorConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spoorConfig.cmake ${PROJECT_BINARY_DIR}/spoorConfigVersion.cmake
        DESTINATION ${SPOOR_PACKAGE})

# --- pkg-config ---
# The file finds its prefix from where it lies, so the installed tree may be moved.
file(RELATIVE_PATH SPOOR_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SPOOR_PREFIX_FROM_PC "${SPOOR_PREFIX_FROM_PC}")
if(SPOOR_NEEDS_FMT)
  set(SPOOR_PC_FMT fmt)
endif()
# Who uses a library stands before it.
list(REVERSE layers)
list(TRANSFORM layers PREPEND -lspoor_)
list(JOIN layers " " SPOOR_PC_LIBRARIES)
configure_file(cmake/spoor.pc.in ${PROJECT_BINARY_DIR}/spoor.pc @ONLY)
configure_file(cmake/libspoor.pc.in ${PROJECT_BINARY_DIR}/libspoor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spoor.pc ${PROJECT_BINARY_DIR}/libspoor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# --- What the program is made of ---
include(cmake/materials.cmake)

install(CODE "spoor_end_manifest(${SPOOR_MANIFEST})")
