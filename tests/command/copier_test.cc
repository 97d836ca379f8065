// The copy over queues that fail at every place, against those that do not.
#include "queue/copier.h"

#include <gmock/gmock.h>

#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fairlane/error.h"
#include "fairlane/in_memory_transport.h"
#include "fairlane/testing/faulty_transport.h"

namespace fairlane::command {
namespace {

using testing::Fault;
using testing::FaultyTransport;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using namespace std::chrono_literals;

using Held = std::map<std::string, std::vector<std::string>>;

class CopierTest : public ::testing::Test {
 protected:
  static void publish(Transport<Bytes>& transport, const std::string& group, int messages,
                      std::int32_t priority = 0) {
    for (int i = 0; i < messages; ++i) {
      transport.publish(group, group + " " + std::to_string(i), priority);
    }
  }
  static Held held(Transport<Bytes>& transport) {
    Held all;
    for (const auto& group : transport.control().groups({.limit = 10'000})) {
      for (const auto& message : transport.control().peek(group, 10'000)) {
        all[group].push_back(*message.event);
      }
    }
    return all;
  }
  void copy(Copier::Options options = {}) { copy(from_.control(), to_, options); }
  static void copy(Control<Bytes>& from, Transport<Bytes>& to, Copier::Options options) {
    Copier copier(from, to, options);
    copier.check();
    copier.copy([](const auto&) {});
  }
  auto refuses(Copier::Options options, const std::string& reason) {
    const auto before = std::pair(held(from_), held(to_));
    EXPECT_THAT([&] { copy(options); }, ThrowsMessage<std::runtime_error>(HasSubstr(reason)));
    EXPECT_EQ(std::pair(held(from_), held(to_)), before);
  }

  InMemoryTransport<Bytes> from_;
  InMemoryTransport<Bytes> to_;
};

TEST_F(CopierTest, BringsEveryGroupOverInOrderWithItsPriorityAndSuspension) {
  publish(from_, "a", 3);
  publish(from_, "b", 1, -5);
  publish(from_, std::string("\0\xff", 2), 2);
  from_.control().suspend("a");
  from_.control().suspend("holds nothing");
  const auto all = held(from_);
  copy();
  EXPECT_EQ(held(to_), all);
  EXPECT_EQ(held(from_), all);
  EXPECT_EQ(to_.control().inspect("b").priority, -5);
  EXPECT_EQ(to_.control().inspect("a").state, GroupState::suspended);
  EXPECT_TRUE(to_.control().inspect("holds nothing").suspended);
  EXPECT_FALSE(to_.control().inspect("b").suspended);
}

TEST_F(CopierTest, AMoveLeavesNothingBehind) {
  for (int i = 0; i < 2500; ++i) publish(from_, "group " + std::to_string(i), 2);  // Several pages.
  const auto all = held(from_);
  copy({.move = true});
  EXPECT_EQ(held(to_), all);
  EXPECT_TRUE(held(from_).empty());
}

TEST_F(CopierTest, RefusesWhileMessagesAreLeasedUnlessForced) {
  publish(from_, "a", 2);
  const auto lease = from_.claim("worker", 1h);
  ASSERT_TRUE(lease);
  refuses({}, "1 messages of FROM are leased");
  copy({.move = true, .force = true});
  EXPECT_EQ(held(to_)["a"], (std::vector<std::string>{"a 0", "a 1"}));
  EXPECT_EQ(from_.ack(*lease), Settled::stale);
}

TEST_F(CopierTest, RefusesAQueueThatIsItself) {
  publish(from_, "a", 2);
  Copier copier(from_.control(), from_, {.move = true, .go_on = true});
  EXPECT_THAT([&] { copier.check(); }, ThrowsMessage<std::runtime_error>(HasSubstr("one queue")));
  EXPECT_EQ(from_.control().stats().waiting, 1u);
  EXPECT_TRUE(from_.control().groups({.suspended = true}).empty()) << "no trace of the look";
}

TEST_F(CopierTest, RefusesAGroupThatIsThereBeforeItChangesAnything) {
  publish(from_, "a", 1);
  publish(from_, "b", 1);
  publish(to_, "b", 1);
  refuses({.move = true}, "group \"b\" already");
}

TEST_F(CopierTest, OtherGroupsOfTheTargetAreLeftAlone) {
  publish(from_, "a", 1);
  publish(to_, "other", 2);
  copy();
  EXPECT_EQ(held(to_)["other"].size(), 2u);
}

TEST_F(CopierTest, GoingOnRefusesOtherMessages) {
  publish(from_, "a", 2);
  to_.publish("a", "a stranger's");
  refuses({.move = true, .go_on = true}, "other messages of group \"a\"");
}

TEST_F(CopierTest, GoingOnBringsWhatWasPublishedSince) {
  publish(from_, "a", 2);
  copy();
  from_.publish("a", "later");
  copy({.go_on = true});
  EXPECT_EQ(held(to_)["a"], (std::vector<std::string>{"a 0", "a 1", "later"}));
}

/// Raises at one of the calls made of it, before or after that takes effect.
class FragileControl final : public Control<Bytes> {
 public:
  FragileControl(Control<Bytes>& inner, std::uint64_t place, Fault::Kind kind)
      : inner_(inner), place_(place), kind_(kind) {}

  void suspend(std::string_view group_id) override {
    pass([&] { return inner_.suspend(group_id), 0; });
  }
  void resume(std::string_view group_id) override {
    pass([&] { return inner_.resume(group_id), 0; });
  }
  std::uint64_t terminate(std::string_view group_id) override {
    return pass([&] { return inner_.terminate(group_id); });
  }
  Cancelled cancel(std::string_view group_id, Bytes&& event) override {
    return pass([&] { return inner_.cancel(group_id, std::move(event)); });
  }
  GroupInfo inspect(std::string_view group_id) override {
    return pass([&] { return inner_.inspect(group_id); });
  }
  std::vector<std::string> groups(const GroupQuery& query) override {
    return pass([&] { return inner_.groups(query); });
  }
  std::vector<QueuedMessage<Bytes>> peek(std::string_view group_id, std::size_t limit) override {
    return pass([&] { return inner_.peek(group_id, limit); });
  }
  Stats stats() override {
    return pass([&] { return inner_.stats(); });
  }
  std::vector<DeadLetter<Bytes>> dead_letters(std::size_t limit, std::uint64_t after) override {
    return pass([&] { return inner_.dead_letters(limit, after); });
  }
  std::uint64_t redrive(std::uint64_t seq) override {
    return pass([&] { return inner_.redrive(seq); });
  }
  void drop_dead(std::uint64_t seq) override {
    pass([&] { return inner_.drop_dead(seq), 0; });
  }

 private:
  template <class Call>
  std::invoke_result_t<Call> pass(Call call) {
    const bool here = ++calls_ == place_;
    if (here && kind_ == Fault::Kind::before)
      throw TransportError(ErrorCode::unavailable, "before");
    auto answer = call();
    if (here) throw TransportError(ErrorCode::outcome_unknown, "after");
    return answer;
  }

  Control<Bytes>& inner_;
  const std::uint64_t place_;
  const Fault::Kind kind_;
  std::uint64_t calls_ = 0;
};

/// Two queues, the one with something in it.
struct Pair {
  InMemoryTransport<Bytes> from;
  InMemoryTransport<Bytes> to;
};

class EndedCopyTest : public CopierTest, public ::testing::WithParamInterface<bool> {
 protected:
  EndedCopyTest() { fill(from_); }
  static void fill(Transport<Bytes>& from) {
    publish(from, "a", 3);
    publish(from, "b", 1, 4);
    publish(from, "c", 2);
    from.control().suspend("b");
  }
  bool moves() const { return GetParam(); }

  /// What the next one completes is what an undisturbed one would have done.
  void complete(Pair& pair) {
    copy(pair.from.control(), pair.to, {.move = moves(), .go_on = true});
    EXPECT_EQ(held(pair.to), held(from_));
    EXPECT_EQ(held(pair.from), moves() ? Held() : held(from_));
    EXPECT_EQ(pair.to.control().inspect("b").priority, 4);
    EXPECT_TRUE(pair.to.control().inspect("b").suspended);
  }
};

TEST_P(EndedCopyTest, AtAnyCallOfTheSourceItNeitherLosesNorDoubles) {
  for (const auto kind : {Fault::Kind::before, Fault::Kind::after}) {
    bool ended = true;
    for (std::uint64_t place = 1; ended; ++place) {
      SCOPED_TRACE(place);
      Pair pair;
      fill(pair.from);
      FragileControl fragile(pair.from.control(), place, kind);
      ended = false;
      try {
        copy(fragile, pair.to, {.move = moves()});
        EXPECT_GT(place, 10u);
      } catch (const TransportError&) {
        ended = true;
      }
      complete(pair);
    }
  }
}

TEST_P(EndedCopyTest, AtAnyPublishInTheTargetItNeitherLosesNorDoubles) {
  for (const auto kind : {Fault::Kind::before, Fault::Kind::after}) {
    for (std::uint64_t place = 1; place <= 3; ++place) {
      SCOPED_TRACE(place);
      Pair pair;
      fill(pair.from);
      FaultyTransport<Bytes> fragile(pair.to, [=](auto, std::uint64_t call) {
        return Fault{call == place ? kind : Fault::Kind::none};
      });
      EXPECT_THROW(copy(pair.from.control(), fragile, {.move = moves()}), TransportError);
      complete(pair);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CopyAndMove, EndedCopyTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Move" : "Copy"; });

}  // namespace
}  // namespace fairlane::command
