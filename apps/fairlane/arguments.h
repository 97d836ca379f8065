// Options that several subcommands have, read the same way by all.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "fairlane/duration.h"

namespace fairlane::command {

/// An option whose text `parse` turns into a value; the `std::invalid_argument` that it throws is
/// an error of usage.
template <class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, const std::string& value,
                        const std::string& description, Parse parse) {
  return app
      .add_option_function<std::string>(
          name,
          [name, parse](const std::string& text) {
            try {
              parse(text);
            } catch (const std::invalid_argument& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          description)
      ->type_name(value);
}

/// A duration as people write it; its default is what `target` holds.
CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& target,
                          const std::string& description);
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& target,
                          const std::string& description);

/// `--transport URL`, or the environment variable FAIRLANE_TRANSPORT; what `target` holds is the
/// default, and where it holds nothing the option is required.
CLI::Option* add_transport(CLI::App& app, std::string& target, const std::string& description);

/// `--worker NAME`; the default is the name of this host.
CLI::Option* add_worker(CLI::App& app, std::string& target, const std::string& description);

}  // namespace fairlane::command
