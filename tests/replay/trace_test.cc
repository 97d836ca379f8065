#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "replay/replay.h"

namespace fairlane::replay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// What came of one trace.
struct Outcome {
  std::string results;
  std::string failures;
  Counts counts;
  std::string broken;  // why, if it is
};

Outcome run(const std::string& text) {
  std::istringstream trace(text);
  std::ostringstream results;
  std::ostringstream failures;
  Outcome outcome;
  try {
    replay("memory:", "t.jsonl", trace, &results, failures, outcome.counts);
  } catch (const BrokenTrace& error) {
    outcome.broken = error.what();
  }
  outcome.results = results.str();
  outcome.failures = failures.str();
  return outcome;
}

TEST(Replay, PrintsOneJsonLineForEachOperation) {
  const auto outcome =
      run("# a remark\n\n \t\r\n"
          "{\"op\":\"publish\",\"group\":\"A\"}\n"
          "{\"op\":\"advance\",\"ms\":5}\r\n");
  EXPECT_EQ(outcome.results,
            "{\"line\":4,\"op\":\"publish\",\"result\":{\"seq\":1}}\n"
            "{\"line\":5,\"op\":\"advance\",\"result\":{\"now_ms\":5}}\n");
  EXPECT_EQ(outcome.counts.passed + outcome.counts.failed, 0U);
  EXPECT_THAT(outcome.broken, IsEmpty());
}

TEST(Replay, PrintsNoResultsWithoutAStreamForThem) {
  std::istringstream trace(R"({"op":"stats","expect":{"groups":0}})");
  std::ostringstream failures;
  Counts counts;
  replay("memory:", "t.jsonl", trace, nullptr, failures, counts);
  EXPECT_EQ(counts.passed, 1U);
}

TEST(Replay, CountsExpectationsAndTellsOfThoseThatFail) {
  const auto outcome = run(R"({"op":"publish","group":"A","expect":{"seq":1}}
{"op":"publish","group":"A","expect":{"seq":9}}
{"op":"publish","group":"A","expect":{"seq":3}}
)");
  EXPECT_EQ(outcome.counts.passed, 2U);
  EXPECT_EQ(outcome.counts.failed, 1U);
  EXPECT_EQ(outcome.failures, "t.jsonl:2: expected {\"seq\":9}, got {\"seq\":2}\n");
}

TEST(Replay, AddsToTheCountsItIsGiven) {
  std::istringstream trace(R"({"op":"stats","expect":{"groups":0}})");
  std::ostringstream failures;
  Counts counts{.passed = 4, .failed = 2};
  replay("memory:", "t.jsonl", trace, nullptr, failures, counts);
  EXPECT_EQ(counts.passed, 5U);
  EXPECT_EQ(counts.failed, 2U);
}

TEST(Replay, StopsAtABrokenLineAndNamesFileAndLine) {
  const auto outcome = run(R"({"op":"publish","group":"A"}

{"op":"publish"}
{"op":"publish","group":"B"}
)");
  EXPECT_EQ(outcome.broken, "t.jsonl:3: \"group\" is missing");
  EXPECT_EQ(outcome.results, "{\"line\":1,\"op\":\"publish\",\"result\":{\"seq\":1}}\n");
}

TEST(Replay, FindsWhatBreaksALineBeforeTheLineTakesEffect) {
  for (const std::string line :
       {R"({"op":"publish","group":"A","bogus":1})",
        R"({"op":"publish","group":"A","expect":null})",
        R"({"op":"publish","group":"A","priority":"1"})", R"({"op":"publish","group":"A"}x)",
        R"({"op":"publish_batch","messages":[{"group":"A"},{"event":1}]})",
        R"({"op":"publish_batch","messages":[{"group":"A"},{"group":"B","op":"publish"}]})",
        R"({"op":"publish_batch","messages":[{"group":"A","priority":9999999999},{"group":1}]})",
        R"({"op":"publish_batch","messages":[{"group":"A"},1]})",
        R"({"op":"publish","group":"A","priority":9999999999,"bogus":1})",
        R"({"op":"claim_batch","n":-1,"bogus":1})", R"({"op":"config","max_attempts":-1,"x":1})"}) {
    const auto outcome = run(line);
    EXPECT_THAT(outcome.broken, StartsWith("t.jsonl:1: ")) << line;
    EXPECT_THAT(outcome.results, IsEmpty()) << line;
  }
}

TEST(Replay, AnswersAValueOutOfRangeWithInvalidArgument) {
  const std::vector<std::string> lines = {
      R"({"op":"publish","group":"A","priority":2147483648})",
      R"({"op":"publish","group":")" + std::string(1'025, 'g') + "\"}",
      R"({"op":"publish_batch","messages":[{"group":"A","priority":2147483648},{"group":"B"}]})",
      R"({"op":"claim","min_priority":-2147483649})",
      R"({"op":"claim","visibility_ms":-1})",
      R"({"op":"claim_batch","n":-1})",
      R"({"op":"advance","ms":-1})",
      R"({"op":"peek","group":"A","limit":-1})",
      R"({"op":"config","rotation":"upside_down"})",
      R"({"op":"config","when_exhausted":"weep"})",
      R"({"op":"config","max_attempts":4294967296})",
      R"({"op":"redrive","seq":-1})"};
  for (const auto& line : lines) {
    const auto outcome =
        run(line + "\n{\"op\":\"stats\",\"expect\":{\"groups\":0,\"published\":0}}");
    EXPECT_THAT(outcome.results, HasSubstr(R"("result":{"error":"invalid_argument"}})")) << line;
    EXPECT_EQ(outcome.counts.passed, 1U) << line << outcome.failures << outcome.broken;
  }
}

TEST(Replay, BeginsAnewWithEachTrace) {
  const std::string trace = R"({"op":"publish","group":"A","expect":{"seq":1}})";
  EXPECT_EQ(run(trace).counts.passed, 1U);
  EXPECT_EQ(run(trace).counts.passed, 1U);
}

TEST(Replay, TakesConfigAsTheFirstOperationAlone) {
  EXPECT_THAT(run("# first\n{\"op\":\"config\",\"max_messages\":1}").broken, IsEmpty());
  for (const std::string first :
       {R"({"op":"stats"})", R"({"op":"config"})", R"({"op":"config","max_attempts":-1})"}) {
    EXPECT_EQ(run(first + "\n{\"op\":\"config\"}").broken,
              "t.jsonl:2: config has to be the first operation");
  }
}

TEST(Replay, KnowsOnlyLeasesWhoseNamesAreFilled) {
  const std::string empty = "the lease \"L\" is not filled";
  EXPECT_THAT(run(R"({"op":"ack","lease":"L"})").broken, HasSubstr(empty));
  EXPECT_THAT(run(R"({"op":"publish","group":"A"}
{"op":"claim","as":"L"}
{"op":"claim","as":"L","expect":{"lease":null}}
{"op":"ack","lease":"L"})")
                  .broken,
              HasSubstr("t.jsonl:4: " + empty));
}

TEST(Replay, NumbersTheLeasesOfABatchAndEmptiesThoseOfTheLast) {
  const std::string filled = R"({"op":"publish_batch","messages":[{"group":"A"},{"group":"B"}]}
{"op":"claim_batch","n":5,"as":"L"}
{"op":"ack","lease":"L.1","expect":{"settled":"done"}}
{"op":"claim_batch","n":5,"as":"L","expect":{"leases":[]}}
)";
  EXPECT_EQ(run(filled).counts.passed, 2U);
  for (const std::string name : {"L.0", "L.1", "L"}) {
    const auto outcome = run(filled + R"({"op":"ack","lease":")" + name + "\"}");
    EXPECT_THAT(outcome.broken, HasSubstr("\"" + name + "\" is not filled"));
  }
}

TEST(Replay, KeepsLeaseNamesThatABatchDidNotGive) {
  const auto outcome = run(R"({"op":"publish","group":"A"}
{"op":"claim","as":"L.keep"}
{"op":"claim_batch","n":1,"as":"L"}
{"op":"ack","lease":"L.keep","expect":{"settled":"done"}})");
  EXPECT_EQ(outcome.counts.passed, 1U) << outcome.broken;
}

TEST(Replay, SaturatesTimesAndPrintsThemTruncated) {
  const auto outcome = run(R"({"op":"publish","group":"A"}
{"op":"claim","visibility_ms":9223372036854775807,"expect":{"lease":{"expires_at_ms":9223372036854}}}
{"op":"advance","ms":1e300,"expect":{"now_ms":9223372036854}})");
  EXPECT_EQ(outcome.counts.passed, 2U) << outcome.failures;
}

TEST(Replay, KeepsLeasesOverReopen) {
  const auto outcome = run(R"({"op":"publish","group":"A"}
{"op":"claim","as":"L"}
{"op":"close"}
{"op":"reopen"}
{"op":"stats","expect":{"leased":1,"published":0,"claims":0}}
{"op":"ack","lease":"L","expect":{"settled":"done"}})");
  EXPECT_EQ(outcome.counts.passed, 2U) << outcome.failures;
}

TEST(Replay, KnowsNoOtherOperations) {
  EXPECT_EQ(run(R"({"op":"pop"})").broken, "t.jsonl:1: unknown operation \"pop\"");
  EXPECT_EQ(run(R"({"group":"A"})").broken, "t.jsonl:1: \"op\" is missing");
  EXPECT_EQ(run("[]").broken, "t.jsonl:1: not a JSON object but array");
}

TEST(Replay, RefusesAUrlThatNoTransportKnows) {
  std::istringstream trace;
  std::ostringstream failures;
  Counts counts;
  EXPECT_THAT([&] { replay("nowhere:", "t.jsonl", trace, nullptr, failures, counts); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("nowhere:")));
}

}  // namespace
}  // namespace fairlane::replay
