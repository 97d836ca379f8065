// Reads with poll, so that a stop ends a wait on an endless input.
#include "run/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace fairlane::run {

namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;

[[noreturn]] void throw_errno(const std::string& name, std::string_view what) {
  throw InputError(fmt::format("{}: {}: {}", name, what, std::strerror(errno)));
}

}  // namespace

ByteSource::ByteSource(int fd, std::string name, int stop_fd)
    : fd_(fd), name_(std::move(name)), stop_fd_(stop_fd), buffer_(chunk_bytes) {}

ByteSource::~ByteSource() {
  if (gzip_) inflateEnd(&inflater_);
  if (fd_ != STDIN_FILENO) close(fd_);
}

ByteSource::Read ByteSource::fill(bool wait) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  for (;;) {
    std::array<pollfd, 2> fds{{{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}}};
    const int ready = poll(fds.data(), fds.size(), wait ? -1 : 0);
    if (ready < 0 && errno != EINTR) throw_errno(name_, "cannot wait for input");
    if (fds[1].revents != 0) return Read::stopped;
    if (ready == 0) return Read::would_block;
    if (ready < 0 || fds[0].revents == 0) continue;
    const ssize_t got = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw_errno(name_, "cannot read");
    if (got == 0) {
      ended_ = true;
      return Read::end;
    }
    end_ += static_cast<std::size_t>(got);
    return Read::bytes;
  }
}

void ByteSource::start_member() {
  if (!std::exchange(gzip_, true)) {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&inflater_, gzip_window) != Z_OK) throw std::bad_alloc();
  } else {
    inflateReset(&inflater_);
  }
  in_member_ = true;
}

void ByteSource::inflate_into(std::string& out) {
  if (!in_member_) {
    more_output_ = false;
    if (begin_ == end_) return;
    // What follows a member is another one, or padding with zeros as tapes and tar leave it.
    if (buffer_[begin_] == '\0') {
      begin_ = end_;
      return;
    }
    start_member();
  }
  const auto old_size = out.size();
  out.resize(old_size + chunk_bytes);
  inflater_.next_in = reinterpret_cast<Bytef*>(buffer_.data() + begin_);
  inflater_.avail_in = static_cast<uInt>(end_ - begin_);
  inflater_.next_out = reinterpret_cast<Bytef*>(out.data() + old_size);
  inflater_.avail_out = static_cast<uInt>(chunk_bytes);
  const int result = inflate(&inflater_, Z_NO_FLUSH);
  begin_ = end_ - inflater_.avail_in;
  out.resize(out.size() - inflater_.avail_out);
  more_output_ = inflater_.avail_out == 0;
  if (result == Z_STREAM_END) {
    in_member_ = false;
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    const char* const why = inflater_.msg != nullptr ? inflater_.msg : "damaged";
    throw InputError(fmt::format("{}: gzip data are damaged: {}", name_, why));
  }
}

ByteSource::Read ByteSource::read(std::string& out, bool wait) {
  while (!decided_) {
    const auto result = end_ - begin_ >= 2 || ended_ ? Read::bytes : fill(wait);
    if (result == Read::stopped || result == Read::would_block) return result;
    if (end_ - begin_ < 2 && !ended_) continue;
    decided_ = true;
    if (end_ - begin_ >= 2 && buffer_[0] == '\x1f' && buffer_[1] == '\x8b') start_member();
  }
  const auto old_size = out.size();
  for (;;) {
    while (gzip_ && (begin_ < end_ || more_output_) && out.size() == old_size) {
      const auto before = begin_;
      inflate_into(out);
      if (begin_ == before && out.size() == old_size) break;  // it needs more input
    }
    if (begin_ < end_ && !gzip_) {
      out.append(buffer_.data() + begin_, end_ - begin_);
      begin_ = end_;
    }
    if (out.size() > old_size) return Read::bytes;
    if (ended_) {
      if (in_member_) throw InputError(fmt::format("{}: gzip data end in the middle", name_));
      return Read::end;
    }
    const auto result = fill(wait);
    if (result == Read::stopped || result == Read::would_block) return result;
  }
}

Input::Input(std::vector<std::string> files, int stop_fd)
    : files_(std::move(files)), stop_fd_(stop_fd) {
  if (files_.empty()) files_.emplace_back("-");
}

bool Input::open_next() {
  if (next_file_ == files_.size()) return false;
  const std::string& file = files_[next_file_++];
  int fd = STDIN_FILENO;
  name_ = "standard input";
  if (file != "-") {
    name_ = file;
    fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw_errno(file, "cannot open");
  }
  number_ = 0;
  source_ = std::make_unique<ByteSource>(fd, name_, stop_fd_);
  return true;
}

bool Input::cut_line(Line& line) {
  const auto end = pending_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = pending_.size();
    return false;
  }
  line.text.assign(pending_, begin_, end - begin_);
  begin_ = scanned_ = end + 1;
  return true;
}

Input::Next Input::next(Line& line, bool wait) {
  for (;;) {
    if (source_ == nullptr && !open_next()) return Next::end;
    bool cut = cut_line(line);
    if (!cut) {
      pending_.erase(0, begin_);
      scanned_ -= begin_;
      begin_ = 0;
      const auto result = source_->read(pending_, wait);
      if (result == ByteSource::Read::stopped) return Next::stopped;
      if (result == ByteSource::Read::would_block) return Next::would_block;
      if (result == ByteSource::Read::bytes) continue;
      source_ = nullptr;
      if (pending_.empty()) continue;
      line.text = std::exchange(pending_, {});
      scanned_ = 0;
    }
    line.number = ++number_;
    if (line.number == 1 && line.text.starts_with("\xef\xbb\xbf")) line.text.erase(0, 3);
    return Next::line;
  }
}

std::string Input::position() const {
  return name_.empty() ? std::string("the beginning") : fmt::format("{}:{}", name_, number_);
}

}  // namespace fairlane::run
