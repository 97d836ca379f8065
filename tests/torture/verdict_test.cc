// The verdict complains about every kind of fault, and about nothing else.
#include "verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace fairlane::torture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class VerdictTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name, std::ios::app) << text;
  }
  /// Attempted by publisher p1.1, and published.
  void published(const std::string& event) const {
    write("attempted-p1.1", event + "\n");
    write("published-p1.1", event + "\n");
  }
  void delivered(const std::string& message) const {
    write("deliveries", "begin " + message + "\nacking " + message + "\nacked " + message + "\n");
  }
  std::vector<std::string> complaints() const { return judge(folder_.path()).complaints; }
  const std::string& folder() const { return folder_.path(); }

 private:
  const test::TemporaryFolder folder_;
};

TEST_F(VerdictTest, WhatWentAsItShouldIsCounted) {
  published("a p1.1:1");
  published("a p1.1:3");
  write("attempted-p1.1", "a p1.1:2\n");
  write("maybe-p1.1", "a p1.1:2\n");
  write("attempted-p1.2", "a p1.2:1\n");  // Its publisher was killed, and nobody knows.
  write("deliveries", "begin a 1 p1.1:1\n");
  delivered("a 1 p1.1:1");
  delivered("a 4 p1.1:3");
  delivered("a 5 p1.1:2");  // Stored when its publisher had gone on.
  delivered("a 6 p1.2:1");
  write("late", "a 1 p1.1:1\n");
  const Verdict verdict = judge(folder());
  EXPECT_THAT(verdict.complaints, IsEmpty());
  EXPECT_EQ(verdict.published, 2U);
  EXPECT_EQ(verdict.maybe, 1U);
  EXPECT_EQ(verdict.handled, 5U);
  EXPECT_EQ(verdict.repeated, 1U);
  EXPECT_EQ(verdict.late, 1U);
}

TEST_F(VerdictTest, WhatIsUnknownNeedNotCome) {
  write("attempted-p1.1", "a p1.1:1\n");
  write("maybe-p1.1", "a p1.1:1\n");
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(VerdictTest, ALineThatWasNotFinishedDoesNotCount) {
  published("a p1.1:1");
  delivered("a 1 p1.1:1");
  write("published-p1.1", "a p1.1:2");
  write("deliveries", "begin a 9");
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(VerdictTest, AckingIsEnoughForWhoDoesNotKnow) {
  published("a p1.1:1");
  published("a p1.1:2");
  write("deliveries", "begin a 1 p1.1:1\nacking a 1 p1.1:1\n");  // It was not done:
  write("deliveries", "begin a 1 p1.1:1\nacking a 1 p1.1:1\n");  // it came again.
  delivered("a 2 p1.1:2");
  write("deliveries", "acked a 1 p1.1:1\n");  // Written late.
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(VerdictTest, APublishedEventThatDoesNotComeIsLost) {
  published("a p1.1:1");
  published("b p1.1:2");
  delivered("a 1 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("lost: b p1.1:2"));
}

TEST_F(VerdictTest, AnEventOfAnotherGroupIsNotIt) {
  published("a p1.1:1");
  delivered("b 1 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("nobody published it: b 1 p1.1:1", "lost: a p1.1:1"));
}

TEST_F(VerdictTest, AMessageThatWasHandedBackAndNeverAckedIsGone) {
  published("a p1.1:1");
  published("a p1.1:2");
  write("deliveries", "begin a 1 p1.1:1\n");
  write("deliveries", "begin a 2 p1.1:2\n");
  EXPECT_THAT(complaints(),
              ElementsAre("gone without an ack: a 1 p1.1:1", "gone without an ack: a 2 p1.1:2"));
}

TEST_F(VerdictTest, WhatNobodyPublishedIsInvented) {
  delivered("a 1 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("nobody published it: a 1 p1.1:1"));
}

TEST_F(VerdictTest, AnAckedMessageDoesNotComeBack) {
  published("a p1.1:1");
  delivered("a 1 p1.1:1");
  delivered("a 1 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("came back after its ack: a 1 p1.1:1"));
}

TEST_F(VerdictTest, AnEventIsStoredOnce) {
  published("a p1.1:1");
  delivered("a 1 p1.1:1");
  delivered("a 2 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("stored twice: a 2 p1.1:1"));
}

TEST_F(VerdictTest, ASeqNamesOneEvent) {
  published("a p1.1:1");
  published("a p1.1:2");
  write("deliveries", "begin a 1 p1.1:1\n");
  delivered("a 1 p1.1:2");
  EXPECT_THAT(complaints(), ElementsAre("two events of one seq: a 1 p1.1:2"));
}

TEST_F(VerdictTest, AGroupGoesInOrderOfSeq) {
  published("a p1.1:1");
  write("attempted-p1.2", "a p1.2:1\n");
  delivered("a 2 p1.2:1");
  delivered("a 1 p1.1:1");
  EXPECT_THAT(complaints(), ElementsAre("out of order: a 1 p1.1:1 after seq 2"));
}

TEST_F(VerdictTest, AGroupGoesInThePublishersOrder) {
  for (const char* const event : {"a p1.1:9", "a p1.1:10", "b p1.1:11"}) published(event);
  delivered("a 1 p1.1:10");
  delivered("a 2 p1.1:9");
  delivered("b 3 p1.1:11");
  EXPECT_THAT(complaints(), ElementsAre("not in its publisher's order: a p1.1:9"));
}

TEST_F(VerdictTest, WhatProcessesComplainAboutIsKept) {
  write("complaints", "two hold leases of group a\n");
  EXPECT_THAT(complaints(), ElementsAre("two hold leases of group a"));
}

TEST_F(VerdictTest, LinesThatCannotBeReadAreNotPassedOver) {
  write("deliveries", "began a 1 p1.1:1\n");
  EXPECT_THAT(complaints(), ElementsAre(StartsWith("not a line of deliveries")));
}

}  // namespace
}  // namespace fairlane::torture
