#include "arguments.h"

#include <unistd.h>

#include <array>

#include "run/duration_text.h"

namespace fairlane::command {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "worker";
  return name.data();
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& target,
                          const std::string& description) {
  return add_parsed(app, name, "D", description,
                    [&target](const std::string& text) { target = run::parse_duration(text); })
      ->default_str(run::duration_text(target));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& target,
                          const std::string& description) {
  return add_parsed(app, name, "D", description,
                    [&target](const std::string& text) { target = run::parse_duration(text); });
}

CLI::Option* add_transport(CLI::App& app, std::string& target, const std::string& description) {
  auto* const option = app.add_option("--transport", target, description)
                           ->type_name("URL")
                           ->envname("FAIRLANE_TRANSPORT");
  return target.empty() ? option->required() : option->capture_default_str();
}

CLI::Option* add_worker(CLI::App& app, std::string& target, const std::string& description) {
  target = host_name();
  return app.add_option("--worker", target, description)
      ->type_name("NAME")
      ->default_str("this host's name");
}

}  // namespace fairlane::command
