#include "support/history.h"

#include <stdexcept>

namespace fairlane::test {

namespace {

using std::chrono::seconds;

Step publish(const std::string& group, const std::string& event, std::int32_t priority = 0) {
  return [=](Scene& scene) { scene.queue.publish(group, event, priority); };
}

Step claim(const std::string& name, seconds visibility) {
  return [=](Scene& scene) {
    auto lease = scene.queue.claim("worker of " + name, visibility);
    if (!lease) throw std::logic_error("nothing to claim for " + name);
    scene.leases.insert_or_assign(name, *lease);
  };
}

template <class Settle>
Step settle(const std::string& name, const Settle& call) {
  return [=](Scene& scene) {
    if (call(scene.queue, scene.leases.at(name)) != Settled::done) {
      throw std::logic_error(name + " is stale");
    }
  };
}

Step ack(const std::string& name) {
  return settle(name, [](auto& queue, const auto& lease) { return queue.ack(lease); });
}

Step nack(const std::string& name, seconds delay) {
  return settle(name, [=](auto& queue, const auto& lease) { return queue.nack(lease, delay); });
}

Step reject(const std::string& name, const std::string& reason) {
  return settle(name, [=](auto& queue, const auto& lease) { return queue.reject(lease, reason); });
}

Step control(const std::function<void(Control<Bytes>&)>& call) {
  return [=](Scene& scene) { call(scene.queue.control()); };
}

/// Changes no file.
Step advance(seconds duration) {
  return [=](Scene& scene) { scene.clock.advance(duration); };
}

void publish_some(Scene& scene) {
  std::vector<Publication<Bytes>> messages;
  for (const char* const group : {"batch", "", "batch"}) {
    messages.push_back({.group_id = group, .event = "b" + std::to_string(messages.size())});
  }
  messages.push_back({.group_id = std::string_view("\0\xff\n", 3), .event = Bytes("\0\xfe", 2)});
  scene.queue.publish_batch(messages);
}

void ack_and_claim(Scene& scene) {
  auto both = scene.queue.ack_claim(scene.leases.at("first"), "worker of second", seconds(600));
  scene.leases.insert_or_assign("second", both.lease.value());
}

}  // namespace

std::vector<Step> history() {
  return {
      publish("rejected", "j"),
      claim("at once", seconds(600)),
      reject("at once", ""),
      publish("exhausted", "x", 4),
      claim("x once", seconds(600)),
      nack("x once", seconds(0)),
      claim("x twice", seconds(600)),
      nack("x twice", seconds(600)),
      publish("door", "opens", 3),
      publish("door", "closes", 7),
      publish("door", "opens again"),
      publish_some,
      control([](auto& queue) { queue.suspend("window"); }),
      control([](auto& queue) { queue.suspend("absent"); }),
      publish("window", "breaks"),
      publish("big", std::string(6000, 'B'), -5),
      advance(seconds(1)),
      claim("first", seconds(600)),
      publish("late", "l1"),
      advance(seconds(1)),
      ack_and_claim,
      claim("parked", seconds(600)),
      nack("parked", seconds(3000)),
      claim("bad", seconds(600)),
      reject("bad", "its reason"),
      advance(seconds(1)),
      claim("twice", seconds(2)),
      advance(seconds(3)),
      claim("again", seconds(600)),
      nack("again", seconds(0)),
      control([](auto& queue) { queue.redrive(queue.dead_letters(10).back().seq); }),
      publish("dropped", "d1"),
      publish("dropped", "d2"),
      control([](auto& queue) { queue.terminate("dropped"); }),
      publish("cancelled", "c1"),
      control([](auto& queue) { queue.cancel("cancelled", "c2"); }),
      claim("third", seconds(600)),
      settle("third", [](auto& queue, const auto& lease) { return queue.release(lease); }),
      claim("fourth", seconds(600)),
      ack("fourth"),
      claim("held", seconds(1)),
      settle("held",
             [](auto& queue, const auto& lease) { return queue.extend(lease, seconds(900)); }),
      publish("ready", "r1", 2),
      claim("lapsed", seconds(5)),
      advance(seconds(30)),
      publish("ready", "r2"),
  };
}

void stand_in_line(Transport<Bytes>& queue) {
  for (const char* const group : {"a", "b", "a", "c", "d"}) queue.publish(group, group);
  auto lease = queue.claim("of a", seconds(900));
  if (queue.ack(lease.value()) != Settled::done) throw std::logic_error("a is stale");
  lease = queue.claim("of b", seconds(900));
  if (queue.nack(lease.value()) != Settled::done) throw std::logic_error("b is stale");
}

}  // namespace fairlane::test
