# The addon of the TypeScript package (docs/adr/0057): built where Node's headers are, so that neither
# Node nor npm is needed to build spoor. The functions of Node-API are in the program that loads it.
find_program(SPOOR_NODE node)
file(REAL_PATH "${SPOOR_NODE}" node)
cmake_path(GET node PARENT_PATH node_folder)
find_path(SPOOR_NODE_INCLUDE node_api.h HINTS ${node_folder}/../include PATH_SUFFIXES node NO_CMAKE_FIND_ROOT_PATH)
if(SPOOR_NODE_INCLUDE AND SPOOR_NODE)
  set(folder ${PROJECT_SOURCE_DIR}/bindings/node)
  add_library(spoor_node MODULE ${folder}/addon.cc ${folder}/functions.cc ${folder}/job.cc)
  target_include_directories(spoor_node SYSTEM PRIVATE ${SPOOR_NODE_INCLUDE})
  target_compile_definitions(spoor_node PRIVATE NAPI_VERSION=8)
  target_link_libraries(spoor_node PRIVATE libspoor spoor_flags
    ${SPOOR_RUNTIME})
  # Node unloads an addon with the last worker that uses it, but a run may outlive the worker.
  target_link_options(spoor_node PRIVATE LINKER:-z,nodelete)
  set_target_properties(spoor_node PROPERTIES OUTPUT_NAME spoor PREFIX "" SUFFIX .node
    CXX_VISIBILITY_PRESET hidden SPOOR_IS_SHARED TRUE BUILD_WITH_INSTALL_RPATH TRUE INSTALL_RPATH $ORIGIN
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()
