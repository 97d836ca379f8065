// Uses the transport on PostgreSQL of an installed Fairlane, by a URL at which no server listens.
#include <cstdio>

#include "fairlane/open.h"
#include "fairlane/postgres_transport.h"

int main() {
  fairlane::register_postgres();
  try {
    fairlane::open("postgresql://127.0.0.1:1/none")->publish("door", "open");
  } catch (const fairlane::TransportError& error) {
    std::puts(error.what());
    return error.code() == fairlane::ErrorCode::unavailable ? 0 : 1;
  }
  return 1;
}
