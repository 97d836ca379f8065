// Uses the durable transport of an installed Fairlane, by its URL.
#include <cstdio>
#include <filesystem>

#include "fairlane/open.h"
#include "fairlane/sqlite_transport.h"

int main() {
  const auto path = std::filesystem::temp_directory_path() / "fairlane-package-consumer.db";
  std::filesystem::remove(path);
  fairlane::register_sqlite();
  const auto url = "sqlite:" + path.string() + "?synchronous=normal";
  fairlane::open(url)->publish("door", "open");
  const auto queue = fairlane::open(url);
  const auto lease = queue->claim("me", std::chrono::seconds(30));
  const bool done =
      lease && lease->event() == "open" && queue->ack(*lease) == fairlane::Settled::done;
  queue->close();
  std::filesystem::remove(path);
  std::puts(done ? "done" : "lost");
  return done ? 0 : 1;
}
