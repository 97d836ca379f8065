// The server of a run and the proxy before it: they come, they are killed, and they go with us.
#include "programs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/temporary_folder.h"

namespace fairlane::torture {
namespace {

const std::string tests = FAIRLANE_TESTS_FOLDER;

/// Does anything listen on the port at the end of the URL?
bool answers(const std::string& url) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected =
      ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(file);
  return connected;
}

class ServerTest : public ::testing::TestWithParam<const char*> {
 protected:
  ServerTest() { ::chmod(folder_.path().c_str(), 0711); }
  std::string script() const { return tests + "/servers/" + GetParam(); }
  std::string folder() const { return folder_.path() + "/server"; }

 private:
  const test::TemporaryFolder folder_;
};

TEST_P(ServerTest, IsKilledAndComesBackAtItsPort) {
  std::string url;
  {
    const Server server(script(), folder());
    url = server.url();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(answers(url));
      server.kill();
      EXPECT_FALSE(answers(url));
      server.start();
    }
    EXPECT_EQ(server.url() + "\n", output_of({script(), "url", folder()}));
    EXPECT_TRUE(answers(url));
  }
  EXPECT_FALSE(answers(url)) << "it outlives its object";
}

TEST_P(ServerTest, GoesWhenWhoStartedItIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Server server(script(), folder());
    const auto ignored = ::write(ends[1], "\n", 1);
    static_cast<void>(ignored);
    for (;;) ::pause();
  }
  char up = 0;
  ASSERT_EQ(::read(ends[0], &up, 1), 1);
  ::close(ends[0]);
  ::close(ends[1]);
  const std::string url = output_of({script(), "url", folder()});
  EXPECT_TRUE(answers(url));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (answers(url) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(answers(url));
}

INSTANTIATE_TEST_SUITE_P(Torture, ServerTest, ::testing::Values("postgres", "redis"));

TEST(ProxyTest, StandsBeforeTheServerAndTellsWhatItDid) {
  const test::TemporaryFolder folder;
  const Server server(tests + "/servers/redis", folder.path() + "/server");
  Proxy proxy(tests + "/torture/proxy", server.url() + "?queue=7", 6);
  EXPECT_NE(proxy.url(), server.url() + "?queue=7");
  EXPECT_EQ(proxy.url().substr(proxy.url().find('?')), "?queue=7");
  const std::string bare = proxy.url().substr(0, proxy.url().find('?'));
  EXPECT_EQ(output_of({"redis-cli", "-u", bare, "ping"}), "PONG\n") << "this seed spares it";
  EXPECT_EQ(proxy.end().substr(0, 21), "proxy: 1 connections:");
  EXPECT_FALSE(answers(proxy.url()));
}

TEST(ProgramTest, OneThatFailsIsAnError) {
  EXPECT_EQ(output_of({"echo", "a", "b"}), "a b\n");
  EXPECT_THROW(output_of({"false"}), std::runtime_error);
  EXPECT_THROW(output_of({"there-is-no-such-program"}), std::runtime_error);
}

}  // namespace
}  // namespace fairlane::torture
