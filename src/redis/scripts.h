// The Lua scripts, one for each verb (lua/NAME.lua, embedded by CMake).
#pragma once

#include <string_view>

namespace fairlane::redis {

enum class Script {
  ack,
  ack_claim,
  cancel,
  claim,
  count,
  dead_letters,
  drop_dead,
  groups,
  inspect,
  look,
  oldest,
  open,
  peek,
  publish,
  redrive,
  settle,
  suspend,
  terminate,
};

struct ScriptText {
  std::string_view identity;  ///< SHA-1 of the text, as EVALSHA wants it
  std::string_view text;
};

ScriptText text_of(Script script);

}  // namespace fairlane::redis
