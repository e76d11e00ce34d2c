# heddle_precompile(name PROGRAMS|LIBRARIES HEADERS headers... [LINK targets...]): compiles the headers once, with the
# flags of this directory, for targets of the same flags: target_precompile_headers(target REUSE_FROM name). Programs
# and libraries differ in how their code is to be placed. A file includes what it uses all the same, as the preset
# `clang` sees, which precompiles nothing.
function(heddle_precompile name place)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/.cmake/precompile.cpp)
  target_link_libraries(${name} PRIVATE heddle_headers heddle_warnings ${arg_LINK})
  if(place STREQUAL "PROGRAMS")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIE)
  endif()
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()
