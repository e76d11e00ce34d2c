# What `cmake --install` gives: headers, static libraries, and what find_package and pkg-config need.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS heddle_headers heddle_text heddle_runtime heddle_model heddle_trace heddle_race heddle_judge heddle_explore heddle_advice
                heddle_edits heddle_report heddle_proposals heddle_memory heddle_progress heddle_run heddle_watch heddle_host heddle_seeds heddle_heddle heddle_queues
                heddle_mu heddle_mu_machine heddle_host_thread heddle_explore_kernel
                heddle_litmus heddle_spirv heddle_spirv_run heddle_spirv_compiler heddle_module
        EXPORT heddleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/heddleConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/heddle_kernel_test.cmake ${PROJECT_BINARY_DIR}/heddleConfig.cmake
              ${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake DESTINATION ${package_dir})

# The prefix is only known when installing (`cmake --install --prefix`).
install(CODE "
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  foreach(module heddle heddle-host-thread heddle-queues)
    configure_file(\"${CMAKE_CURRENT_LIST_DIR}/\${module}.pc.in\" \"${PROJECT_BINARY_DIR}/\${module}.pc\" @ONLY)
  endforeach()")
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc ${PROJECT_BINARY_DIR}/heddle-host-thread.pc ${PROJECT_BINARY_DIR}/heddle-queues.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
