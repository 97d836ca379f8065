#include "records.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace fairlane::torture {

Log::Log(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
  if (file_ < 0) throw std::runtime_error("cannot open " + path);
}

Log::~Log() { ::close(file_); }

void Log::line(const std::string& text) const {
  const std::string whole = text + "\n";
  if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
    throw std::runtime_error("cannot write a log");
  }
}

Turn::Turn(const Run& run, const std::string& group)
    : file_(::open((run.folder + "/lock-" + group).c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                   S_IRUSR | S_IWUSR)) {
  if (file_ < 0) throw std::runtime_error("cannot open the lock of " + group);
}

Turn::~Turn() { ::close(file_); }

void Turn::lock() const {
  while (::flock(file_, LOCK_EX) != 0) {
    if (errno != EINTR) throw std::runtime_error("cannot lock a group");
  }
}

Moment Turn::taken_until() const {
  Moment::rep ticks = 0;
  if (::pread(file_, &ticks, sizeof ticks, 0) != sizeof ticks) return {};
  return Moment(Moment::duration(ticks));
}

void Turn::take_until(Moment moment) const {
  const Moment::rep ticks = moment.time_since_epoch().count();
  if (::pwrite(file_, &ticks, sizeof ticks, 0) != sizeof ticks) {
    throw std::runtime_error("cannot write into a lock");
  }
}

}  // namespace fairlane::torture
