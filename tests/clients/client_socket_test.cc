#include "clients/client_socket.hh"

#include "base/clock.hh"
#include "tests/clients/scripted_server.hh"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <poll.h>
#include <vector>

namespace clients {
namespace {

using transport::Bytes;
using transport::ByteSpan;

// Until `count` datagrams have come, or one waited for in vain.
std::vector<Bytes> receive(ClientSocket& socket, std::size_t count) {
  std::vector<Bytes> received;
  pollfd wait{.fd = socket.number(), .events = POLLIN, .revents = 0};
  while (received.size() < count && ::poll(&wait, 1, 5000) > 0) {
    int error = 0;
    for (const ByteSpan datagram : socket.receive_datagrams(&error))
      received.emplace_back(datagram.begin(), datagram.end());
    EXPECT_EQ(error, 0);
  }
  return received;
}

TEST(ClientSocket, CarriesMoreDatagramsThanOneCallDoes) {
  const UdpServer echo(
      [](ByteSpan datagram) { return Datagrams{Bytes(datagram.begin(), datagram.end())}; });
  ReceiveBuffer buffer;
  ClientSocket socket(SocketKind::kUdp, echo.address(), 0, buffer);
  ASSERT_EQ(socket.connect(), 0);
  std::vector<Bytes> datagrams;
  for (std::size_t index = 0; index < 2 * ReceiveBuffer::kSlots + 1; ++index)
    datagrams.push_back(Bytes(index, static_cast<std::uint8_t>(index)));
  EXPECT_EQ(socket.send_datagrams(datagrams), 0);
  EXPECT_EQ(receive(socket, datagrams.size()), datagrams);
}

TEST(ClientSocket, LosesDatagramsThatAreTooLargeAndSendsTheOthers) {
  const UdpServer echo(
      [](ByteSpan datagram) { return Datagrams{Bytes(datagram.begin(), datagram.end())}; });
  ReceiveBuffer buffer;
  ClientSocket socket(SocketKind::kUdp, echo.address(), 0, buffer);
  socket.forbid_fragments();
  ASSERT_EQ(socket.connect(), 0);
  const std::vector<Bytes> datagrams{Bytes(70000), Bytes{1}, Bytes(70000), Bytes{2}};
  EXPECT_EQ(socket.send_datagrams(datagrams), 0);
  EXPECT_EQ(receive(socket, 2), (std::vector<Bytes>{{1}, {2}}));
}

TEST(ClientSocket, KnowsItsFlow) {
  const UdpServer server([](ByteSpan) { return Datagrams(); });
  ReceiveBuffer buffer;
  ClientSocket socket(SocketKind::kUdp, server.address(), 0, buffer);
  ASSERT_EQ(socket.connect(), 0);
  const captures::Flow flow = socket.flow();
  EXPECT_EQ(flow.protocol, "udp");
  EXPECT_EQ(flow.local_address, "127.0.0.1");
  EXPECT_NE(flow.local_port, 0);
  EXPECT_EQ(flow.remote_address, "127.0.0.1");
  EXPECT_EQ(flow.remote_port, port_of(server.address()));
}

struct AddressText {
  const char* address;
  std::uint16_t port;
  const char* endpoint;
};

TEST(Address, ReadsBackAsItIsWritten) {
  for (const AddressText& row : {AddressText{"192.0.2.53", 53, "192.0.2.53:53"},
                                 AddressText{"2001:db8::53", 853, "[2001:db8::53]:853"},
                                 AddressText{"::", 65535, "[::]:65535"}}) {
    const auto address = parse_address(row.address, row.port);
    ASSERT_TRUE(address) << row.address;
    EXPECT_EQ(address_text(*address), row.address);
    EXPECT_EQ(port_of(*address), row.port);
    EXPECT_EQ(endpoint_text(*address), row.endpoint);
  }
  for (const char* text : {"", "dns.example", "192.0.2", "192.0.2.256", "2001:db8::g", "[::1]"})
    EXPECT_FALSE(parse_address(text, 1)) << text;
}

}  // namespace
}  // namespace clients
