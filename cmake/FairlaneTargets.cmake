# How every target of the project is compiled, and how tests are declared.

# fairlane_compile_options(TARGET): the language level, the warnings and the sanitizers, for this
# project's own code only; nothing of it reaches those who link against the library.
function(fairlane_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ 12 sees overlaps in std::string's own operator+ that cannot be.
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE -Wthread-safety)
  endif()
  if(FAIRLANE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(FAIRLANE_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(FAIRLANE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${FAIRLANE_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${FAIRLANE_SANITIZE})
  endif()
endfunction()

# fairlane_test(NAME SOURCES a.cc .. [LIBRARIES x ..] [LABELS l ..] [TIMEOUT seconds]): a GoogleTest
# program with its cases known to ctest one by one.
function(fairlane_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  fairlane_compile_options(${name})
  target_link_libraries(${name} PRIVATE fairlane ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
