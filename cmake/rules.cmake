# The built-in redaction rules are a file that people read; the program carries it inside.
set(rules ${PROJECT_SOURCE_DIR}/src/audit/redact/rules.toml)
set(made ${PROJECT_BINARY_DIR}/builtin_rules.cc)
add_custom_command(OUTPUT ${made}
  COMMAND ${CMAKE_COMMAND} -DINPUT=${rules} -DOUTPUT=${made} -P ${PROJECT_SOURCE_DIR}/cmake/embed_rules.cmake
  DEPENDS ${rules} ${PROJECT_SOURCE_DIR}/cmake/embed_rules.cmake VERBATIM)
target_sources(spoor_audit PRIVATE ${made})
