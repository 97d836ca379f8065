// Lines of files, plain and gzip.
#include "run/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fairlane::run {
namespace {

class InputTest : public testing::Test {
 protected:
  InputTest() {
    std::string pattern = testing::TempDir() + "/input_test.XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~InputTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& bytes) const {
    std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string folder_;
};

std::string zipped(const std::string& text) {
  z_stream deflater{};
  deflateInit2(&deflater, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&deflater, text.size()), '\0');
  std::string copy = text;
  deflater.next_in = reinterpret_cast<Bytef*>(copy.data());
  deflater.avail_in = static_cast<uInt>(copy.size());
  deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
  deflater.avail_out = static_cast<uInt>(packed.size());
  deflate(&deflater, Z_FINISH);
  packed.resize(deflater.total_out);
  deflateEnd(&deflater);
  return packed;
}

std::vector<std::string> lines_of(const std::vector<std::string>& files) {
  Input input(files, -1);
  std::vector<std::string> lines;
  for (Line line; input.next(line, true) == Input::Next::line;) lines.push_back(line.text);
  return lines;
}

using Lines = std::vector<std::string>;

TEST_F(InputTest, CutsLinesWhateverTheyHold) {
  const std::string nul("a\0b", 3);
  EXPECT_EQ(lines_of({file("a", "x\n\n " + nul + "\r\n\xff\n")}),
            (Lines{"x", "", " " + nul + "\r", "\xff"}));
}

TEST_F(InputTest, NeedsNoLineEndAtTheEnd) {
  EXPECT_EQ(lines_of({file("a", "x\ny")}), (Lines{"x", "y"}));
  EXPECT_EQ(lines_of({file("a", "x\ny\n")}), (Lines{"x", "y"}));
  EXPECT_EQ(lines_of({file("a", "y")}), (Lines{"y"}));
}

TEST_F(InputTest, OfNothingHasNoLines) {
  EXPECT_EQ(lines_of({file("a", "")}), Lines());
  EXPECT_EQ(lines_of({file("a", zipped(""))}), Lines());
  EXPECT_EQ(lines_of({"/dev/null", file("a", ""), "/dev/null"}), Lines());
}

TEST_F(InputTest, SkipsAByteOrderMarkAtTheBeginningOfAFileOnly) {
  const std::string mark = "\xef\xbb\xbf";
  const auto name = file("a", mark + "x\n" + mark + "y\n");
  EXPECT_EQ(lines_of({name, name}), (Lines{"x", mark + "y", "x", mark + "y"}));
}

TEST_F(InputTest, ReadsGzipOfSeveralMembersAsOneText) {
  const auto packed = zipped("a\nb") + zipped("") + zipped("c\n") + zipped("d");
  EXPECT_EQ(lines_of({file("a", packed)}), (Lines{"a", "bc", "d"}));
}

TEST_F(InputTest, TakesZerosBehindGzipForPadding) {
  EXPECT_EQ(lines_of({file("a", zipped("a\n") + std::string(5000, '\0'))}), (Lines{"a"}));
}

TEST_F(InputTest, ReadsGzipThatUnpacksToFarMoreThanABuffer) {
  const std::string line(3'000'000, 'x');
  EXPECT_EQ(lines_of({file("a", zipped(line + "\n" + line))}), (Lines{line, line}));
}

TEST_F(InputTest, SaysWhereGzipBreaksOffAnywhere) {
  const auto packed = zipped("some lines\nof text\n");
  for (std::size_t bytes = 2; bytes < packed.size(); ++bytes) {
    EXPECT_THROW(lines_of({file("a", packed.substr(0, bytes))}), InputError) << bytes;
  }
}

TEST_F(InputTest, SaysThatGzipIsDamagedOrFollowedByRubbish) {
  auto packed = zipped("some lines\nof text\n");
  EXPECT_THROW(lines_of({file("a", packed + "rubbish")}), InputError);
  packed[packed.size() - 6] ^= 1;  // of the checksum
  EXPECT_THROW(lines_of({file("a", packed)}), InputError);
}

TEST_F(InputTest, NamesTheFileThatCannotBeRead) {
  const auto check = [](const std::string& name) {
    try {
      lines_of({name});
      ADD_FAILURE() << name << " was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  };
  check(folder_ + "/missing");
  check(folder_);
}

TEST_F(InputTest, NumbersTheLinesOfEachFileAndTellsWhereItStands) {
  const auto a = file("a", "1\n2\n");
  const auto b = file("b", "3\n4\n5");
  Input input({a, b}, -1);
  EXPECT_EQ(input.position(), "the beginning");
  Line line;
  for (const auto& place : {a + ":1", a + ":2", b + ":1", b + ":2", b + ":3"}) {
    ASSERT_EQ(input.next(line, true), Input::Next::line);
    EXPECT_EQ(input.position(), place);
    EXPECT_EQ(place, input.file() + ":" + std::to_string(line.number));
  }
  EXPECT_EQ(input.next(line, true), Input::Next::end);
  EXPECT_EQ(input.next(line, true), Input::Next::end);
  EXPECT_EQ(input.position(), b + ":3");
}

/// A named pipe, as input that is not there yet.
class PipeInputTest : public InputTest {
 protected:
  PipeInputTest() : name_(folder_ + "/pipe") {
    mkfifo(name_.c_str(), 0600);
    writer_ = open(name_.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~PipeInputTest() override { close(writer_); }
  void feed(const std::string& bytes) const {
    ASSERT_EQ(write(writer_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  std::string name_;
  int writer_ = -1;
};

TEST_F(PipeInputTest, SaysThatItWouldHaveToWait) {
  Input input({name_}, -1);
  Line line;
  EXPECT_EQ(input.next(line, false), Input::Next::would_block);
  feed("a\nhalf a");
  EXPECT_EQ(input.next(line, false), Input::Next::line);
  EXPECT_EQ(line.text, "a");
  EXPECT_EQ(input.next(line, false), Input::Next::would_block);
  feed(" line\n");
  EXPECT_EQ(input.next(line, false), Input::Next::line);
  EXPECT_EQ(line.text, "half a line");
}

TEST_F(PipeInputTest, TellsGzipByTwoBytesThatComeOneByOne) {
  Input input({name_}, -1);
  Line line;
  const auto packed = zipped("a\n");
  for (std::size_t i = 0; i + 1 < packed.size(); ++i) {
    feed(packed.substr(i, 1));
    const auto next = input.next(line, false);
    if (next == Input::Next::line) break;
    ASSERT_EQ(next, Input::Next::would_block);
    line.text.clear();
  }
  feed(packed.substr(packed.size() - 1));
  if (line.text.empty()) {
    ASSERT_EQ(input.next(line, true), Input::Next::line);
  }
  EXPECT_EQ(line.text, "a");
}

TEST_F(PipeInputTest, IsStoppedWhileItWaits) {
  const int stop = eventfd(0, EFD_CLOEXEC);
  Input input({name_}, stop);
  Line line;
  feed("a\nhalf");
  EXPECT_EQ(input.next(line, true), Input::Next::line);
  eventfd_write(stop, 1);
  EXPECT_EQ(input.next(line, true), Input::Next::stopped);
  EXPECT_EQ(input.position(), name_ + ":1");
  close(stop);
}

}  // namespace
}  // namespace fairlane::run
