// `fairlane schema`: what a database needs before a queue can be in it.
#include "engines.h"

#include <fmt/format.h>

#include <memory>

#include "queue/target.h"

namespace fairlane::command {

namespace {

int schema(const std::string& engine) {
  const auto text = schema_of(engine);
  if (text.empty()) complain(fmt::format("{}: needs nothing to be made before", engine));
  StandardOutput output;
  output.append(text);
  output.flush();
  return exit_ok;
}

}  // namespace

void add_schema_command(CLI::App& app, int& exit_code) {
  const auto engine = std::make_shared<std::string>();
  auto* const command =
      app.add_subcommand("schema", "Print what an engine needs to be made in its database");
  command->add_option("ENGINE", *engine, "postgresql, or another engine's scheme")
      ->required()
      ->type_name("");
  command->footer("Example: fairlane schema postgresql | psql");
  run_when_chosen(*command, exit_code, engine, schema);
}

}  // namespace fairlane::command
