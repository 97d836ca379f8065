// The processes that publish and work until they are killed.
#pragma once

#include <sys/types.h>

#include <vector>

#include "records.h"

namespace fairlane::torture {

/// A process that does one thing until it is killed. It dies with the process that made it.
class Victim {
 public:
  enum class Role { publisher, worker };
  Victim(const Run& run, Role role, int number);

  void kill_and_begin_again();
  /// Throws if it had ended by itself.
  void kill() const;

 private:
  void begin();
  [[noreturn]] void live() const;

  const Run& run_;
  const Role role_;
  const int number_;
  int lives_ = 1;
  pid_t process_ = 0;
};

std::vector<Victim> make_victims(const Run& run, int publishers, int workers);

}  // namespace fairlane::torture
