# cmake -DFOLDER=.. -DOUTPUT=.. -P embed.cmake: writes the scripts as C++.
#
# A line "--@include NAME" in a script stands for the text of NAME.lua. A script's identity is the
# SHA-1 of its text, as Redis computes it.
cmake_minimum_required(VERSION 3.25)

set(scripts ack ack_claim cancel claim count dead_letters drop_dead groups inspect look oldest open
            peek publish redrive settle suspend terminate)

set(cases "")
foreach(script IN LISTS scripts)
  file(READ "${FOLDER}/${script}.lua" text)
  while(text MATCHES "--@include ([a-z_]+)\n")
    set(part "${CMAKE_MATCH_1}")
    file(READ "${FOLDER}/${part}.lua" part_text)
    string(REPLACE "--@include ${part}\n" "${part_text}" text "${text}")
  endwhile()
  string(SHA1 identity "${text}")
  string(APPEND cases "    case Script::${script}:\n"
                      "      return {\"${identity}\", R\"lua(${text})lua\"};\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made from the files in src/redis/lua.
#include <stdexcept>

#include \"redis/scripts.h\"

namespace fairlane::redis {

ScriptText text_of(Script script) {
  switch (script) {
${cases}  }
  throw std::logic_error(\"there is no such script\");
}

}  // namespace fairlane::redis
")
