// `fairlane publish`: JSON lines into a queue.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arguments.h"
#include "fairlane/error.h"
#include "queue/publication_line.h"
#include "queue/target.h"
#include "run/duration_text.h"
#include "run/input.h"

namespace fairlane::command {

namespace {

struct PublishOptions {
  std::string url = {};
  std::vector<std::string> files = {};
  std::size_t batch = 1;
  std::optional<Duration> wait = std::nullopt;
  bool json = false;
};

/// One call of the command.
class Publishing {
 public:
  explicit Publishing(const PublishOptions& options)
      : options_(options), input_(options.files, -1), transport_(fairlane::open(options.url)) {}

  int operator()() {
    try {
      run::Line line;
      while (input_.next(line, true) == run::Input::Next::line) {
        batch_.push_back(parse_publication(line.text));
        if (batch_.size() == options_.batch) publish();
      }
      publish();
      return exit_ok;
    } catch (const TransportError& error) {
      tell(error.what(), error.may_be_stored());
    } catch (const BadPublication& error) {
      tell(fmt::format("bad line: {}", error.what()), false);
    } catch (const std::exception& error) {
      tell(error.what(), false);
    }
    return exit_broken;
  }

 private:
  void publish() {
    if (batch_.empty()) return;
    std::vector<std::uint64_t> seqs;
    if (options_.wait) {
      auto& line = batch_.front();
      const auto seq = transport_->publish_wait(line.group_id, std::move(line.event), line.priority,
                                                *options_.wait);
      if (!seq) {
        throw std::runtime_error(
            fmt::format("no room within {}", run::duration_text(*options_.wait)));
      }
      seqs.push_back(*seq);
    } else {
      std::vector<Publication<Bytes>> messages;
      messages.reserve(batch_.size());
      for (auto& line : batch_) {
        messages.push_back({line.group_id, std::move(line.event), line.priority});
      }
      seqs = transport_->publish_batch(messages);
    }
    published_ += seqs.size();
    batch_.clear();
    for (const auto seq : seqs) {
      output_.append(options_.json ? fmt::format("{{\"seq\":{}}}\n", seq)
                                   : fmt::format("{}\n", seq));
    }
    output_.flush();
  }

  void tell(std::string_view what, bool may_be_stored) const {
    complain(fmt::format("{}: {}; {} lines before are published{}", input_.position(), what,
                         published_,
                         may_be_stored ? fmt::format(", {} more may be", batch_.size()) : ""));
  }

  const PublishOptions& options_;
  run::Input input_;
  std::unique_ptr<Transport<Bytes>> transport_;
  StandardOutput output_;
  std::vector<PublicationLine> batch_;
  std::uint64_t published_ = 0;
};

int publish(const PublishOptions& options) {
  survive_closed_pipes();
  if (options.wait && options.batch != 1) {
    throw std::invalid_argument("--wait takes one line at a time: not with --batch");
  }
  return Publishing(options)();
}

constexpr auto publish_footer =
    "A line is {\"group\":\"g\",\"event\":..,\"priority\":0}. An event that is a string is stored "
    "as "
    "its\n"
    "bytes, any other JSON value as its compact text. Bytes that are no text are given in base64 "
    "as\n"
    "\"group_base64\" and \"event_base64\". Without a batch each line is stored before the next is "
    "read.\n\n"
    "Exit code: 0 all are published, and their seqs printed; 2 a bad line, which is named, or an\n"
    "error: nothing of its batch is stored, and what was before it is.\n\n"
    "Example: fairlane publish --transport sqlite:queue.db --batch 100 events.jsonl.gz";

}  // namespace

void add_publish_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<PublishOptions>();
  auto* const command = app.add_subcommand("publish", "Put events into a queue");
  command
      ->add_option("FILE", options->files, "JSON lines, plain or gzip; none or -: standard input")
      ->expected(-1)
      ->type_name("");
  add_transport(*command, options->url, "The queue");
  add_count(*command, "--batch", options->batch, "Lines that are published at once, all or none");
  add_duration(*command, "--wait", options->wait, "How long a line may wait for room");
  command->add_flag("--json", options->json, "Print {\"seq\":..} instead of the number alone");
  command->footer(publish_footer);
  run_when_chosen(*command, exit_code, options, publish);
}

}  // namespace fairlane::command
