// A transport that lies once: proof that the model test can fail.
#pragma once

#include "driver.h"

namespace fairlane::model {

enum class Lie {
  withholds_a_lease,        ///< claims, and says there was nothing
  acks_without_removing,    ///< says done, and did nothing
  nacks_without_parking,    ///< forgets the delay
  extends_without_effect,   ///< says done, and did nothing
  counts_a_release,         ///< nacks instead, so that the attempt counts
  forgets_a_reason,         ///< of a reject
  forgets_a_suspension,     ///< does not suspend
  forgets_a_priority,       ///< publishes with another
  turns_a_batch_around,     ///< publishes it in the opposite order
  shortens_a_visibility,    ///< by a millisecond
  ignores_a_floor,          ///< claims from any group
  drops_a_message_in_hand,  ///< terminates instead of cancelling
  miscounts,                ///< one published too many
  skips_a_group,            ///< in a listing
};

std::string_view to_string(Lie lie) noexcept;

/// An `InMemoryTransport` whose wrapper tells this lie at the `at`-th occasion, and is honest
/// before and after.
OpenSubject open_liar(Lie lie, std::uint64_t at);

}  // namespace fairlane::model
