#include "queue/target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "arguments.h"
#include "fairlane/error.h"
#include "text/base64.h"
#include "text/terminal_text.h"

namespace fairlane::command {

Format Target::format() const {
  if (json) return Format::json;
  return table || isatty(STDOUT_FILENO) != 0 ? Format::table : Format::json;
}

void add_target(CLI::App& app, Target& target) {
  add_transport(app, target.url, "The queue");
  add_format(app, target);
}

void add_format(CLI::App& app, Target& target) {
  auto* const json = app.add_flag("--json", target.json, "Print JSON lines, on a terminal too");
  app.add_flag("--table", target.table, "Print a table for people, elsewhere too")->excludes(json);
}

std::string Argument::bytes() const {
  if (!is_base64) return text;
  if (auto decoded = text::from_base64(text)) return *std::move(decoded);
  throw std::invalid_argument(fmt::format("no base64: \"{}\"", text));
}

CLI::Option* add_group(CLI::App& app, Argument& group) {
  app.add_flag("--base64", group.is_base64, "Arguments that are bytes are given in base64");
  return app.add_option("GROUP", group.text, "The group")->required()->type_name("");
}

void complain(std::string_view text) {
  const auto line = "fairlane: " + text::terminal_text(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const TransportError& error) {
    complain(fmt::format("{}{}", error.what(),
                         error.may_be_stored() ? " (it may have taken effect)" : ""));
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return exit_broken;
}

}  // namespace fairlane::command
