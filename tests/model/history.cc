#include "history.h"

#include <algorithm>
#include <sstream>

#include "generator.h"

namespace fairlane::model {
namespace {

/// The two that have to agree, and what was asked of them so far.
class SideBySide {
 public:
  SideBySide(const OpenSubject& open, const QueueRules& rules)
      : driver_(open(rules)), model_(rules) {}

  /// Nothing if both answered the same.
  std::optional<Divergence> apply(const Operation& operation) {
    operations_.push_back(operation);
    Outcome expected = model_.apply(operation);
    Outcome got = driver_.apply(operation);
    if (operation.verb == Verb::reopen) totals_are_whole_ = false;
    const bool sound = !got.stats || !totals_are_whole_ || adds_up(*got.stats);
    last_ = expected;
    if (expected == got && sound) return std::nullopt;
    return Divergence{std::move(operations_), std::move(expected), std::move(got)};
  }

  /// Looks at everything that can be looked at.
  std::optional<Divergence> look() {
    if (auto found = apply({.verb = Verb::stats})) return found;
    if (auto found = apply({.verb = Verb::dead_letters, .count = 1'000'000})) return found;
    if (auto found = apply({.verb = Verb::groups, .count = 1'000'000, .flag = true})) return found;
    if (auto found = apply({.verb = Verb::groups, .count = 1'000'000})) return found;
    const auto groups = last_.groups;
    for (const auto& group : groups) {
      if (auto found = apply({.verb = Verb::inspect, .group = group})) return found;
      if (auto found = apply({.verb = Verb::peek, .group = group, .count = 1'000'000})) {
        return found;
      }
    }
    return std::nullopt;
  }

  const SlowModel& model() const { return model_; }
  const Driver& driver() const { return driver_; }
  const Outcome& last() const { return last_; }

 private:
  Driver driver_;
  SlowModel model_;
  std::vector<Operation> operations_;
  Outcome last_;
  bool totals_are_whole_ = true;
};

}  // namespace

std::optional<Divergence> run_random_history(const OpenSubject& open, const QueueRules& rules,
                                             std::uint64_t seed, std::size_t length) {
  SideBySide both(open, rules);
  Generator generator(seed);
  for (std::size_t done = 0; done < length; ++done) {
    auto operation = generator.next(both.model());
    if (operation.verb == Verb::close && !both.driver().works_after_close()) {
      operation.verb = Verb::reopen;
    }
    if (auto found = both.apply(operation)) return found;
    generator.learn(operation, both.last());
  }
  return both.look();
}

std::optional<Divergence> run_again(const OpenSubject& open, const QueueRules& rules,
                                    const std::vector<Operation>& operations) {
  SideBySide both(open, rules);
  for (const auto& operation : operations) {
    if (!both.driver().has_leases_for(operation)) continue;
    if (auto found = both.apply(operation)) return found;
  }
  return std::nullopt;
}

Divergence shrink(const OpenSubject& open, const QueueRules& rules, Divergence divergence,
                  std::size_t tries) {
  std::size_t chunk = divergence.operations.size() / 2;
  while (chunk > 0 && tries > 0) {
    bool shorter = false;
    for (std::size_t at = 0; at < divergence.operations.size() && tries > 0; --tries) {
      auto fewer = divergence.operations;
      const auto end = std::min(at + chunk, fewer.size());
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      auto found = run_again(open, rules, fewer);
      if (found && found->operations.size() < divergence.operations.size()) {
        divergence = std::move(*found);
        shorter = true;
      } else {
        at += chunk;
      }
    }
    if (!shorter) chunk /= 2;
  }
  return divergence;
}

std::string describe(const QueueRules& rules, const Divergence& divergence) {
  std::ostringstream text;
  text << "after " << divergence.operations.size() << " operations:\n"
       << to_trace(rules, divergence.operations) << "expected " << divergence.expected
       << "\ngot      " << divergence.got << "\n";
  return text.str();
}

}  // namespace fairlane::model
