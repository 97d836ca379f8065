// `--mode exec`: COMMAND is started once per event.
#pragma once

#include "run/claims.h"
#include "run/command.h"
#include "run/keeper.h"
#include "run/output.h"
#include "run/settler.h"

namespace fairlane::run {

/// What the workers of a run work with.
struct Shop {
  const RunOptions& options;
  const Command& command;
  Transport<Bytes>& transport;
  RunState& state;
  Output& output;
  Settler& settler;
  Keeper& keeper;
};

/// Exit codes of COMMAND with a meaning of their own: those of sysexits.h.
inline constexpr int exit_retry_later = 75;  ///< EX_TEMPFAIL
inline constexpr int exit_give_up = 65;      ///< EX_DATAERR

/// Claims and handles events, one at a time, until the run ends.
void exec_worker(const Shop& shop, std::string worker);

}  // namespace fairlane::run
