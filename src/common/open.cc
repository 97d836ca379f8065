// Chooses the engine by the scheme of the URL.
#include "fairlane/open.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "fairlane/in_memory_transport.h"

namespace fairlane {

namespace {

constexpr std::string_view hidden = "***";

std::unique_ptr<Transport<Bytes>> open_memory(std::string_view rest, const OpenOptions& options) {
  if (!rest.empty()) {
    throw std::invalid_argument("memory: takes no parameters: \"" + std::string(rest) + "\"");
  }
  return std::make_unique<InMemoryTransport<Bytes>>(InMemoryOptions<Bytes>{
      .queue = options.queue, .clock = options.clock ? options.clock : monotonic_clock()});
}

struct Engines {
  std::mutex mutex;
  std::map<std::string, Engine, std::less<>> by_scheme{{"memory", open_memory}};
};

Engines& engines() {
  static auto* const all = new Engines();  // Used until the last thread ends.
  return *all;
}

}  // namespace

std::string shown_url(std::string_view url) {
  std::string shown(url);
  // Rather too much than too little: a password may hold "@" or "/" that should have been escaped.
  for (auto begin = shown.find("//"); begin != std::string::npos; begin = shown.find("//", begin)) {
    begin += 2;
    const auto at = shown.rfind('@');
    if (at != std::string::npos && at > begin) shown.replace(begin, at - begin, hidden);
  }
  for (const std::string_view name : {"password=", "pass=", "passwd="}) {
    for (auto begin = shown.find(name); begin != std::string::npos;
         begin = shown.find(name, begin)) {
      begin += name.size();
      shown.replace(begin, std::min(shown.find('&', begin), shown.size()) - begin, hidden);
    }
  }
  return shown;
}

void register_engine(std::string_view scheme, Engine engine) {
  if (engine == nullptr) throw std::invalid_argument("the engine is null");
  Engines& all = engines();
  const std::lock_guard lock(all.mutex);
  all.by_scheme.insert_or_assign(std::string(scheme), std::move(engine));
}

std::unique_ptr<Transport<Bytes>> open(std::string_view url, const OpenOptions& options) {
  const auto colon = url.find(':');
  Engine engine;
  std::string known;
  {
    Engines& all = engines();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_scheme.find(url.substr(0, colon));
    if (colon != std::string_view::npos && found != all.by_scheme.end()) engine = found->second;
    for (const auto& [scheme, each] : all.by_scheme) {
      known += (known.empty() ? "" : ", ") + scheme + ":";
    }
  }
  if (engine != nullptr) return engine(url.substr(colon + 1), options);
  throw std::invalid_argument("no transport is known by the URL \"" + shown_url(url) +
                              "\"; known: " + known);
}

}  // namespace fairlane
