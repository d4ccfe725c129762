# The built-in rules of redaction and the table of programs are files that people read; the program
# carries them inside.
function(spoor_embed input header namespace function)
  set(made ${PROJECT_BINARY_DIR}/${function}.cc)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${PROJECT_SOURCE_DIR}/${input} -DOUTPUT=${made} -DHEADER=${header}
      -DNAMESPACE=${namespace} -DFUNCTION=${function}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_rules.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${input} ${PROJECT_SOURCE_DIR}/cmake/embed_rules.cmake VERBATIM)
  target_sources(spoor_guard PRIVATE ${made})
endfunction()

spoor_embed(src/guard/redact/rules.toml guard/redact/rule_set.h spoor::guard builtin_rules)
spoor_embed(src/guard/check/effects.toml guard/check/builtin.h spoor::guard::check builtin_effects)
