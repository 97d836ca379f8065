#include "verdict.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fairlane::torture {

namespace {

/// The lines of a file but for one that its writer did not finish.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

}  // namespace

Verdict judge(const std::string& folder) {
  Verdict verdict;
  verdict.complaints = lines_of(folder + "/complaints");

  std::map<std::string, std::uint64_t> last_seq;
  std::set<std::string> seen;
  for (const auto& line : lines_of(folder + "/handled")) {
    std::istringstream words(line);
    std::string group;
    std::string event;
    std::uint64_t seq = 0;
    words >> group >> seq >> event;
    ++verdict.handled;
    std::uint64_t& last = last_seq[group];
    if (seq < last) {
      verdict.complaints.push_back("out of order: " + line + " after seq " + std::to_string(last));
    }
    const bool again = !seen.insert(group + " " + event).second;
    if (again) ++verdict.repeated;
    if (again && seq != last) verdict.complaints.push_back("stored twice: " + line);
    last = seq;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind("published-", 0) != 0) continue;
    for (const auto& line : lines_of(entry.path())) {
      ++verdict.published;
      if (seen.count(line) == 0) verdict.complaints.push_back("lost: " + line);
    }
  }
  return verdict;
}

}  // namespace fairlane::torture
