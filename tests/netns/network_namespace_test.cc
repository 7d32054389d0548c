#include "netns/network_namespace.hh"

#include "base/errors.hh"
#include "netns/link.hh"
#include "tests/netns/lab_fixture.hh"

#include <gmock/gmock.h>
#include <sys/stat.h>

namespace netns {
namespace {

// Namespaces are the same when their files are.
std::pair<dev_t, ino_t> identity(const NetworkNamespace& space) {
  struct stat status{};
  EXPECT_EQ(::fstat(space.descriptor(), &status), 0);
  return {status.st_dev, status.st_ino};
}

using NetworkNamespaceTest = LabFixture;

TEST_F(NetworkNamespaceTest, CreatingOneLeavesTheThreadWhereItIs) {
  const auto before = identity(NetworkNamespace::current());
  const NetworkNamespace created = NetworkNamespace::create();
  EXPECT_NE(identity(created), before);
  EXPECT_EQ(identity(NetworkNamespace::current()), before);
}

TEST_F(NetworkNamespaceTest, EnteringEndsWithTheScopeAlsoByAnException) {
  const auto before = identity(NetworkNamespace::current());
  try {
    const Entered client(network_->client_namespace());
    EXPECT_EQ(identity(NetworkNamespace::current()), identity(network_->client_namespace()));
    const Entered server(network_->server_namespace());
    EXPECT_EQ(identity(NetworkNamespace::current()), identity(network_->server_namespace()));
    throw base::LabError("out");
  } catch (const base::LabError&) {
    EXPECT_EQ(identity(NetworkNamespace::current()), before);
  }
}

TEST_F(NetworkNamespaceTest, SocketsStayWhereTheyWereOpened) {
  std::optional<NetlinkSocket> socket;
  {
    const Entered inside(network_->wire_namespace());
    socket.emplace();
  }
  EXPECT_EQ(read_link(*socket, "to-client").name, "to-client");
  EXPECT_THROW(read_link(*socket, "eth0"), base::LabError);
}

}  // namespace
}  // namespace netns
