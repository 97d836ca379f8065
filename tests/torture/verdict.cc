#include "verdict.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fairlane::torture {

namespace {

using Lines = std::vector<std::string>;

/// The lines of a file but for one that its writer did not finish.
Lines lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  Lines lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

/// Those of all publishers, each "GROUP EVENT".
std::unordered_set<std::string> events_of(const std::string& folder, const std::string& prefix) {
  std::unordered_set<std::string> events;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind(prefix, 0) != 0) continue;
    for (auto& line : lines_of(entry.path())) events.insert(std::move(line));
  }
  return events;
}

class Judge {
 public:
  explicit Judge(const std::string& folder)
      : attempted_(events_of(folder, "attempted-")), published_(events_of(folder, "published-")) {
    verdict_.complaints = lines_of(folder + "/complaints");
    verdict_.published = published_.size();
    verdict_.maybe = events_of(folder, "maybe-").size();
    verdict_.late = lines_of(folder + "/late").size();
    for (const auto& line : lines_of(folder + "/deliveries")) read(line);
    for (const auto& [name, group] : groups_) left(name, group);
    for (const auto& event : published_) {
      if (seen_.count(event) == 0) complain("lost", event);
    }
  }

  Verdict verdict() && { return std::move(verdict_); }

 private:
  struct Group {
    std::uint64_t seq = 0;  ///< of the latest delivery
    std::string event = {};
    bool acking = false;
    bool acked = false;
    std::map<std::string, std::uint64_t> numbers = {};  ///< the latest of each publisher
  };

  void complain(const std::string& what, const std::string& about) {
    verdict_.complaints.push_back(what + ": " + about);
  }

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    std::string event;
    std::uint64_t seq = 0;
    words >> kind >> name >> seq >> event;
    Group& group = groups_[name];
    if (kind == "begin") {
      begin(name, group, seq, event);
    } else if (kind != "acking" && kind != "acked") {
      complain("not a line of deliveries", line);
    } else if (seq == group.seq) {  // Else it is written after the next one began.
      group.acking = true;
      if (kind == "acked") group.acked = true;
    }
  }

  void begin(const std::string& name, Group& group, std::uint64_t seq, const std::string& event) {
    const std::string what = name + " " + std::to_string(seq) + " " + event;
    ++verdict_.handled;
    if (attempted_.count(name + " " + event) == 0) complain("nobody published it", what);
    const bool again = !seen_.insert(name + " " + event).second;
    if (again) ++verdict_.repeated;
    if (seq == group.seq) {
      if (event != group.event) complain("two events of one seq", what);
      if (group.acked) complain("came back after its ack", what);
      return;
    }
    if (again) complain("stored twice", what);
    if (seq < group.seq) complain("out of order", what + " after seq " + std::to_string(group.seq));
    left(name, group);
    judge_number(name, group, event);
    group.seq = seq;
    group.event = event;
    group.acking = group.acked = false;
  }

  /// The group goes on, or is empty: what it leaves behind has been acked.
  void left(const std::string& name, const Group& group) {
    if (group.seq != 0 && !group.acking) {
      complain("gone without an ack", name + " " + std::to_string(group.seq) + " " + group.event);
    }
  }

  /// What may have been stored later than its publisher thinks does not count.
  void judge_number(const std::string& name, Group& group, const std::string& event) {
    if (published_.count(name + " " + event) == 0) return;
    const auto colon = event.find(':');
    const std::uint64_t number = std::stoull(event.substr(colon + 1));
    std::uint64_t& latest = group.numbers[event.substr(0, colon)];
    if (number < latest) complain("not in its publisher's order", name + " " + event);
    latest = number;
  }

  const std::unordered_set<std::string> attempted_;
  const std::unordered_set<std::string> published_;
  std::unordered_set<std::string> seen_;
  std::map<std::string, Group> groups_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const std::string& folder) { return Judge(folder).verdict(); }

}  // namespace fairlane::torture
