// Uses the transport on Redis of an installed Fairlane, by a URL at which no server listens.
#include <cstdio>

#include "fairlane/open.h"
#include "fairlane/redis_transport.h"

int main() {
  fairlane::register_redis();
  try {
    fairlane::open("redis://127.0.0.1:1")->publish("door", "open");
  } catch (const fairlane::TransportError& error) {
    std::puts(error.what());
    return error.code() == fairlane::ErrorCode::unavailable ? 0 : 1;
  }
  return 1;
}
