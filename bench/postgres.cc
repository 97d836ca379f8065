// The transport on PostgreSQL, beside pgbench with bare prepared statements on the same server.
#include "fairlane/postgres_transport.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "crew.h"
#include "program.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

constexpr std::uint64_t groups = 1'000;
constexpr std::uint64_t at_once = 1'000;  // Of a batch that is not timed.
constexpr std::chrono::hours visibility(24);

std::string server() {
  const char* const url = std::getenv("FAIRLANE_TEST_POSTGRES");
  require(url != nullptr, "FAIRLANE_TEST_POSTGRES is not set: run it under scripts/with-servers");
  return url;
}

std::string with_commits(bool synchronous) {
  const auto url = server();
  return fmt::format("{}{}options=-csynchronous_commit%3D{}", url,
                     url.find('?') == std::string::npos ? '?' : '&', synchronous ? "on" : "off");
}

std::string script(const char* name) { return fmt::format("{}/{}", FAIRLANE_BENCH_SQL, name); }

void run_sql(const std::string& variables, const std::string& what) {
  run_program(fmt::format("psql -X -q -v ON_ERROR_STOP=1 {} {} '{}'", variables, what, server()));
}

/// A server that does not write its log to the disk waits for nothing, whatever commits ask for.
std::string name_of(bool synchronous) {
  if (!synchronous) return "synchronous_commit off";
  const auto fsync = run_program(fmt::format("psql -X -A -t -c 'SHOW fsync' '{}'", server()));
  return fsync == "on\n" ? "synchronous_commit on" : "synchronous_commit on, fsync off";
}

/// One turn of the floor: `each` transactions of each connection. `notify`: of a publish.
Timed run_pgbench(const char* name, const std::string& url, int connections, std::uint64_t each,
                  bool notify = false) {
  const auto text = run_program(
      fmt::format("pgbench -n -M prepared -c {0} -j {0} -t {1} -f {2} -D notify={3:d} '{4}' 2>&1",
                  connections, each, script(name), notify, url));
  const auto at = text.find("tps = ");
  require(at != std::string::npos, "pgbench has to tell a rate");
  const auto items = static_cast<std::uint64_t>(connections) * each;
  return {static_cast<double>(items) / std::stod(text.substr(at + 6)), items};
}

/// `each` steps on each of so many threads; a step tells how many messages it dealt with.
Timed run_threads_of(int threads, std::uint64_t each,
                     const std::function<std::uint64_t(std::uint64_t)>& step) {
  std::atomic<std::uint64_t> items{0};
  const double seconds = run_crew(static_cast<std::size_t>(threads), [&](std::size_t thread) {
    for (std::uint64_t i = 0; i < each; ++i) items += step(thread * 65'537 + i);
  });
  return {seconds, items};
}

struct Ours {
  Ours(const std::string& url, const std::string& name, int connections)
      : queue(open_postgres({.conninfo = url,
                             .queue_name = name,
                             .max_connections = static_cast<std::size_t>(connections)})) {}

  void fill(std::uint64_t count, const std::function<std::string(std::uint64_t)>& group,
            std::int32_t priority = 0) {
    for (std::uint64_t done = 0; done < count;) {
      std::vector<std::string> group_ids;  // A publication only refers to its own.
      for (; group_ids.size() < at_once && done < count; ++done) group_ids.push_back(group(done));
      std::vector<Publication<Bytes>> batch;
      for (const auto& group_id : group_ids) batch.push_back({group_id, "event", priority});
      queue->publish_batch(batch);
    }
  }
  std::uint64_t publish(const Keys& keys, std::uint64_t turn, std::uint64_t size) {
    if (size == 1) {
      queue->publish(keys.at_random(turn), "event");
      return 1;
    }
    std::vector<Publication<Bytes>> batch;
    for (std::uint64_t i = 0; i < size; ++i) {
      batch.push_back({keys.at_random(turn * size + i), "event", 0});
    }
    queue->publish_batch(batch);
    return size;
  }
  std::uint64_t work(std::uint64_t size, std::int32_t floor = 0) {
    if (size == 1) {
      const auto lease = queue->claim("w", visibility, floor);
      require(lease && queue->ack(*lease) == Settled::done, "there has to be work");
      return 1;
    }
    const auto leases = queue->claim_batch(size, "w", visibility, floor);
    require(!leases.empty(), "there has to be work");
    for (const auto settled : queue->ack_batch(leases)) {
      require(settled == Settled::done, "a lease has to be good");
    }
    return leases.size();
  }

  const std::unique_ptr<Transport<Bytes>> queue;
};

/// A lease handed on by each thread from one ack_claim to the next.
Timed chain(Ours& ours, int threads, std::uint64_t each) {
  std::vector<std::optional<Lease<Bytes>>> leases;
  for (int i = 0; i < threads; ++i) leases.push_back(ours.queue->claim("w", visibility));
  const auto timed = run_threads_of(threads, each, [&](std::uint64_t turn) -> std::uint64_t {
    auto& lease = leases[turn / 65'537];
    lease = ours.queue->ack_claim(lease.value(), "w", visibility).lease;
    return 1;
  });
  for (const auto& lease : leases) {
    require(ours.queue->release(lease.value()) == Settled::done, "a lease has to be good");
  }
  return timed;
}

void add(Session& session, const std::string& what, double ours, const std::string& against,
         double theirs, double limit) {
  session.add({.workload = "postgres",
               .what = what,
               .ours = ours,
               .unit = "1/s",
               .against = against,
               .theirs = theirs,
               .bar = limit > 0 ? Bar::at_least : Bar::none,
               .limit = limit});
}

void run_at(Session& session, bool synchronous, int connections) {
  const auto& settings = session.settings();
  const auto url = with_commits(synchronous);
  const std::string suffix = fmt::format("{}, {} connection{}", name_of(synchronous), connections,
                                         connections == 1 ? "" : "s");
  const std::string name = fmt::format("postgres/{}/{}", synchronous ? "on" : "off", connections);
  const auto each = settings.size<std::uint64_t>(synchronous ? 500 : 1'000, 10);
  const auto backlog = settings.size<std::uint64_t>(40'000, 2'000);
  const Keys keys(groups);
  run_sql(fmt::format("-v groups={} -v backlog={}", groups, backlog), "-f " + script("schema.sql"));
  Ours ours(url, name, connections);
  ours.fill(backlog, [&](std::uint64_t i) { return keys.ids()[i % groups]; });
  run_sql("", "-c 'VACUUM ANALYZE fairlane.active_group, fairlane.message'");

  const auto publish = [&](std::uint64_t size) {
    return timed_side(fmt::format("publish_{}", size), [&, size] {
      return run_threads_of(connections, each / size + 1, [&, size](std::uint64_t turn) {
        return ours.publish(keys, turn, size);
      });
    });
  };
  const auto work = [&](std::uint64_t size) {
    return timed_side(fmt::format("work_{}", size), [&, size] {
      return run_threads_of(connections, each / size + 1,
                            [&, size](std::uint64_t) { return ours.work(size); });
    });
  };
  const auto pgbench = [&](const char* file) {
    return timed_side("pgbench", [&, file] { return run_pgbench(file, url, connections, each); });
  };
  const double bar = connections > 1 ? 0.8 : 0;
  const auto published = session.measure(
      name + "/publish", {pgbench("publish.sql"), publish(1), publish(16), publish(100)});
  add(session, "publish, " + suffix, published[1], "pgbench", published[0], bar);
  add(session, "publish, batches of 16, " + suffix, published[2], "single", published[1], 0);
  add(session, "publish, batches of 100, " + suffix, published[3], "single", published[1], 5);
  const auto worked = session.measure(
      name + "/work",
      {pgbench("drain.sql"), work(1),
       timed_side("chain", [&] { return chain(ours, connections, each); }), work(16), work(100)});
  add(session, "claim, ack, " + suffix, worked[1], "pgbench", worked[0], bar);
  add(session, "ack_claim, " + suffix, worked[2], "pgbench", worked[0], bar);
  add(session, "claim, ack, batches of 16, " + suffix, worked[3], "single", worked[1], 0);
  add(session, "claim, ack, batches of 100, " + suffix, worked[4], "single", worked[1], 5);
}

/// What else is in the queue; `state` is given to all of it at once, which no call does.
struct Ballast {
  const char* name;
  const char* what;
  const char* state;      ///< 1 leased, 2 parked; null: as it is published
  std::int32_t priority;  ///< the work's is 10, and so is its floor
  bool in_one_group;
};

constexpr std::int32_t work_priority = 10;

void load(Ours& ours, const std::string& queue, const Ballast& ballast, std::uint64_t count) {
  ours.fill(
      count,
      [&](std::uint64_t i) {
        return ballast.in_one_group ? std::string("work-0") : fmt::format("other-{}", i);
      },
      ballast.priority);
  if (ballast.state == nullptr) return;
  run_sql("", fmt::format("-c \"UPDATE fairlane.active_group SET state = {}, attempts = 1, "
                          "fence = nextval('fairlane.ticket'), expiry = 9000000000000000000 "
                          "WHERE queue = (SELECT id FROM fairlane.queue WHERE name = '{}')\"",
                          ballast.state, queue));
}

void run_behind(Session& session, const Ballast& ballast) {
  const auto many = session.settings().size<std::uint64_t>(session.settings().groups, 2'000);
  const auto rounds = session.settings().size<std::uint64_t>(50, 2);
  const auto url = with_commits(false);
  const auto queue = [&](const char* size) { return fmt::format("{}-{}", ballast.name, size); };
  Ours little(url, queue("little"), 1);
  Ours much(url, queue("much"), 1);
  load(little, queue("little"), ballast, 100);
  load(much, queue("much"), ballast, many);
  run_sql("", "-c 'VACUUM ANALYZE fairlane.active_group, fairlane.message'");
  // Ten publishes that are not timed, then ten claims and acks that are.
  const auto turn = [rounds](Ours& ours) {
    Timed all{0, 0};
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (int i = 0; i < 10; ++i) {
        ours.queue->publish(fmt::format("work-{}", i), "event", work_priority);
      }
      const auto timed =
          run_threads_of(1, 10, [&](std::uint64_t) { return ours.work(1, work_priority); });
      all.seconds += timed.seconds;
      all.items += timed.items;
    }
    return all;
  };
  const auto rates = session.measure(fmt::format("postgres/{}", ballast.name),
                                     {timed_side("little", [&] { return turn(little); }),
                                      timed_side("much", [&] { return turn(much); })});
  session.add({.workload = "postgres",
               .what = fmt::format("claim, ack, {} {}", fmt::group_digits(many), ballast.what),
               .ours = nanoseconds(rates[1]) / 1e3,
               .unit = "us",
               .against = "with 100",
               .theirs = nanoseconds(rates[0]) / 1e3,
               .bar = Bar::at_most,
               .limit = 1.5});
}

/// What a notification costs who publishes: one in each bare transaction, and those of ours, that
/// go to a process which takes all that it is told of.
void run_told(Session& session, bool synchronous) {
  constexpr int connections = 4;
  const auto each = session.settings().size<std::uint64_t>(500, 10);
  const auto url = with_commits(synchronous);
  const std::string suffix = fmt::format("{}, {} connections", name_of(synchronous), connections);
  const std::string name = fmt::format("postgres/told/{}", synchronous ? "on" : "off");
  run_sql(fmt::format("-v groups={} -v backlog=0", groups), "-f " + script("schema.sql"));
  const auto pgbench = [&](const char* side, bool notify) {
    return timed_side(
        side, [&, notify] { return run_pgbench("publish.sql", url, connections, each, notify); });
  };
  const auto bare =
      session.measure(name + "/bare", {pgbench("quiet", false), pgbench("notifies", true)});
  add(session, "bare publish that notifies, " + suffix, bare[1], "without", bare[0], 0);

  Ours quiet(url, name + "/quiet", connections);
  Ours told(url, name + "/told", connections);
  const Ours other(url, name + "/told", 1);
  std::jthread waiter([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      static_cast<void>(other.queue->claim_wait("w", visibility, 0, Duration::max(), stop));
    }
  });
  const auto to_new_groups = [&](const char* side, Ours& ours) {
    return timed_side(side, [&, turn = std::uint64_t{0}]() mutable {
      const auto first = turn++ * each * connections;
      return run_threads_of(connections, each, [&](std::uint64_t at) -> std::uint64_t {
        ours.queue->publish(fmt::format("new-{}-{}", first, at), "event");
        return 1;
      });
    });
  };
  const auto ours =
      session.measure(name + "/ours", {to_new_groups("quiet", quiet), to_new_groups("told", told)});
  add(session, "publish to new groups while another process takes them, " + suffix, ours[1],
      "while none waits", ours[0], 0);
}

}  // namespace

void run_postgres(Session& session) {
  for (const bool synchronous : {false, true}) {
    for (const int connections : {1, 4}) run_at(session, synchronous, connections);
  }
  for (const bool synchronous : {false, true}) run_told(session, synchronous);
  run_behind(session, {"waiting", "messages waiting in one group", nullptr, work_priority, true});
  run_behind(session, {"below_floor", "groups below the floor", nullptr, 0, false});
  run_behind(session, {"leased", "groups leased", "1", 0, false});
  run_behind(session, {"parked", "groups parked", "2", 0, false});
}

}  // namespace fairlane::bench
