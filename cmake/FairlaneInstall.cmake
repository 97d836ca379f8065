# What `cmake --install` puts where: library, headers, the CMake package and the pkg-config file.
# The command installs itself, with its man page and completions (apps/fairlane).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Fairlane")

install(TARGETS fairlane EXPORT FairlaneTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT FairlaneTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")

# In an export of its own, since only those who ask for it need GoogleTest.
if(TARGET fairlane_testing)
  install(TARGETS fairlane_testing EXPORT FairlaneTestingTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT FairlaneTestingTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")
endif()

# Likewise: only those who ask for it need hiredis.
if(TARGET fairlane_redis)
  install(TARGETS fairlane_redis EXPORT FairlaneRedisTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT FairlaneRedisTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")
endif()

# Likewise, though it needs nothing more: a component that may be missing is asked for by name.
if(TARGET fairlane_sharded)
  install(TARGETS fairlane_sharded EXPORT FairlaneShardedTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT FairlaneShardedTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")
endif()

# Only those who ask for it need SQLite.
if(TARGET fairlane_sqlite)
  install(TARGETS fairlane_sqlite EXPORT FairlaneSqliteTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT FairlaneSqliteTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")
endif()

if(TARGET fairlane_postgres)
  install(TARGETS fairlane_postgres EXPORT FairlanePostgresTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT FairlanePostgresTargets NAMESPACE fairlane:: DESTINATION "${package_dir}")
endif()

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/FairlaneConfig.cmake.in"
                              "${CMAKE_CURRENT_BINARY_DIR}/FairlaneConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/FairlaneConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/FairlaneConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/FairlaneConfigVersion.cmake"
        DESTINATION "${package_dir}")

# The prefix is told from where fairlane.pc lies, so the installed tree may be moved as a whole.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
           NORMALIZE OUTPUT_VARIABLE pc_dir)
cmake_path(APPEND pc_dir "pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pc_dir}"
           OUTPUT_VARIABLE pc_to_prefix)
foreach(dir LIBDIR INCLUDEDIR)
  set(pc_${dir} "${CMAKE_INSTALL_${dir}}")
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/fairlane.pc.in"
               "${CMAKE_CURRENT_BINARY_DIR}/fairlane.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/fairlane.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
