// The transport on SQLite, beside bare prepared transactions of the same shape.
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "fairlane/sqlite_transport.h"
#include "sqlite_floor.h"
#include "workload.h"

namespace fairlane::bench {
namespace {

constexpr std::size_t groups = 1'000;
constexpr std::chrono::hours visibility(1);

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "fairlane_bench-XXXXXX").string()) {
    require(::mkdtemp(path_.data()) != nullptr, "a folder for the files");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Ours and the floor, with the same backlog.
struct Pair {
  Pair(bool full, std::uint64_t backlog)
      : ours(open_sqlite(
            {.path = folder.file("ours.db"),
             .synchronous = full ? SqliteSynchronous::full : SqliteSynchronous::normal})),
        floor(folder.file("floor.db"), full) {
    constexpr std::uint64_t at_once = 1'000;
    for (std::uint64_t done = 0; done < backlog; done += at_once) {
      std::vector<Publication<Bytes>> batch;
      for (std::uint64_t i = 0; i < at_once; ++i) {
        batch.push_back({keys.ids()[(done + i) % groups], "event", 0});
      }
      ours->publish_batch(batch);
      floor.publish_many(at_once, [&](std::uint64_t i) -> const std::string& {
        return keys.ids()[(done + i) % groups];
      });
    }
  }

  const Folder folder;
  const Keys keys{groups};
  const std::unique_ptr<Transport<Bytes>> ours;
  SqliteFloor floor;
};

void compare(Session& session, const std::string& name, const std::string& what, Side ours,
             Side floor) {
  const auto rates = session.measure("sqlite/" + name, {std::move(floor), std::move(ours)});
  session.add({.workload = "sqlite",
               .what = what,
               .ours = rates[1],
               .unit = "1/s",
               .against = "bare transactions",
               .theirs = rates[0],
               .bar = Bar::at_least,
               .limit = 0.7});
}

void run_at(Session& session, bool full, std::uint64_t backlog) {
  Pair both(full, backlog);
  const std::string suffix = fmt::format("synchronous {}, backlog {}", full ? "full" : "normal",
                                         fmt::group_digits(backlog));
  const std::string name = fmt::format("{}/{}", full ? "full" : "normal", backlog);
  const std::int64_t times = session.settings().size(full ? 1'000 : 10'000, 20);
  compare(session, name + "/publish", "publish, " + suffix,
          loop_side("fairlane", times,
                    [&, turn = std::uint64_t{0}]() mutable {
                      both.ours->publish(both.keys.at_random(turn++), "event");
                    }),
          loop_side("floor", times, [&, turn = std::uint64_t{0}]() mutable {
            both.floor.publish(both.keys.at_random(turn++), "event");
          }));
  compare(session, name + "/claim_ack", "claim, ack, " + suffix,
          loop_side("fairlane", times / 2,
                    [&] {
                      const auto lease = both.ours->claim("w", visibility);
                      require(lease && both.ours->ack(*lease) == Settled::done, "work");
                    }),
          loop_side("floor", times / 2, [&] { both.floor.ack(both.floor.claim()); }));
  auto lease = both.ours->claim("w", visibility);
  auto claim = both.floor.claim();
  compare(session, name + "/ack_claim", "ack_claim, " + suffix,
          loop_side("fairlane", times / 4,
                    [&] { lease = both.ours->ack_claim(*lease, "w", visibility).lease; }),
          loop_side("floor", times / 4, [&] { claim = both.floor.ack_claim(claim); }));
}

}  // namespace

void run_sqlite(Session& session) {
  const auto much = session.settings().size(std::uint64_t{1'000'000}, std::uint64_t{2'000});
  for (const bool full : {false, true}) {
    run_at(session, full, 1'000);
    run_at(session, full, much);
  }
}

}  // namespace fairlane::bench
