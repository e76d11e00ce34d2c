# heddle_add_kernel_test(name target [FRAMEWORK Catch2|GoogleTest] [SHARDS count] [SWEEP words] [SEEDS count] [RACES]
#                        [LABELS words...] [TIMEOUT seconds]): tests of ctest that run a program of kernel tests.
#
# With SHARDS there are several tests, name_1_of_N and so on, each with a part of the seeds of every search: `ctest -j`
# runs them side by side. SWEEP and SEEDS are HEDDLE_SWEEP and HEDDLE_EXPLORE_SEEDS; with RACES searches look for races
# where the test itself does not. All have the label "kernel" (`ctest -L kernel`), and those of LABELS. With FRAMEWORK
# each writes name.junit.xml into the build directory, with a case for each test of the framework (and Catch2 2, which
# has one reporter, prints nothing else). One for each test of ctest is what `ctest --output-junit FILE` writes.
# What of the program is compiled by GCC has the lines of kernels for breakpoints, at -O2 too.
function(heddle_add_kernel_test name target)
  cmake_parse_arguments(arg "RACES" "FRAMEWORK;SHARDS;SWEEP;SEEDS;TIMEOUT" "LABELS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_kernel_test(${name}) does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  get_target_property(imported ${target} IMPORTED)
  if(NOT aliased AND NOT imported)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-gno-statement-frontiers>)
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(test ${name})
    if(arg_SHARDS GREATER 1)
      set(test ${name}_${shard}_of_${arg_SHARDS})
    endif()
    set(junit ${CMAKE_CURRENT_BINARY_DIR}/${test}.junit.xml)
    set(report)
    if(arg_FRAMEWORK STREQUAL Catch2)
      set(report --reporter junit --out ${junit})
    elseif(arg_FRAMEWORK STREQUAL GoogleTest)
      set(report --gtest_output=xml:${junit})
    elseif(arg_FRAMEWORK)
      message(FATAL_ERROR "heddle_add_kernel_test(${name}): FRAMEWORK is ${arg_FRAMEWORK}; it may be Catch2 or GoogleTest")
    endif()
    set(environment HEDDLE_EXPLORE_SHARD=${shard}/${arg_SHARDS})
    if(arg_SWEEP)
      list(APPEND environment "HEDDLE_SWEEP=${arg_SWEEP}")
    endif()
    if(arg_SEEDS)
      list(APPEND environment HEDDLE_EXPLORE_SEEDS=${arg_SEEDS})
    endif()
    if(arg_RACES)
      list(APPEND environment HEDDLE_RACES=1)
    endif()
    add_test(NAME ${test} COMMAND ${target} ${report})
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS "kernel;${arg_LABELS}"
                         TIMEOUT ${arg_TIMEOUT})
  endforeach()
endfunction()
