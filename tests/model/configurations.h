// The rules under which random histories are played.
#pragma once

#include <ostream>

#include "fairlane/options.h"

namespace fairlane::model {

struct Configuration {
  const char* name;
  QueueRules rules;
};

inline void PrintTo(const Configuration& configuration, std::ostream* out) {
  *out << configuration.name;
}

inline constexpr auto ready_order = Rotation::ready_order;
inline constexpr auto suspend_group = WhenExhausted::suspend_group;

inline const Configuration configurations[] = {
    {"default_rules", {}},
    {"ready_order", {.rotation = ready_order}},
    {"max_attempts_1", {.max_attempts = 1}},
    {"max_attempts_3", {.max_attempts = 3}},
    {"suspend_group", {.when_exhausted = suspend_group, .max_attempts = 2}},
    {"limits", {.max_messages = 12, .max_group_messages = 4, .max_event_bytes = 12}},
    {"ready_order_with_suspend_group",
     {.rotation = ready_order, .when_exhausted = suspend_group, .max_attempts = 1}},
    {"ready_order_with_limits_and_dead_letters",
     {.rotation = ready_order, .max_attempts = 2, .max_messages = 8, .max_group_messages = 3}},
    {"suspend_group_with_limits",
     {.when_exhausted = suspend_group, .max_attempts = 3, .max_group_messages = 2}},
};

}  // namespace fairlane::model
