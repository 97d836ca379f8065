// Chooses the engine by the scheme of the URL.
#include "fairlane/open.h"

#include <stdexcept>
#include <string>

#include "fairlane/in_memory_transport.h"

namespace fairlane {

namespace {

/// The URL as an error may show it: without what stands between "//" and "@".
std::string without_credentials(std::string_view url) {
  std::string shown(url);
  const auto begin = shown.find("//");
  const auto end = shown.rfind('@');
  if (begin != std::string::npos && end != std::string::npos && begin + 2 < end) {
    shown.replace(begin + 2, end - begin - 2, "***");
  }
  return shown;
}

}  // namespace

std::unique_ptr<Transport<Bytes>> open(std::string_view url, const OpenOptions& options) {
  constexpr std::string_view memory = "memory:";
  if (url.substr(0, memory.size()) == memory) {
    if (url.size() > memory.size()) {
      throw std::invalid_argument("memory: takes no parameters: \"" + std::string(url) + "\"");
    }
    return std::make_unique<InMemoryTransport<Bytes>>(InMemoryOptions<Bytes>{
        .queue = options.queue, .clock = options.clock ? options.clock : monotonic_clock()});
  }
  throw std::invalid_argument("no transport is known by the URL \"" + without_credentials(url) +
                              "\"; known: memory:");
}

}  // namespace fairlane
