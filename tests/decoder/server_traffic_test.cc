// Both decoders over what servers by others send: nginx (OpenSSL), knot (GnuTLS and ngtcp2) and
// caddy (Go). labquery asks them over a real network, and its key log goes into the capture of its
// end.

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/packet_capture.hh"
#include "captures/pcapng_writer.hh"
#include "tests/decoder/decoding.hh"
#include "tests/decoder/foreign_server.hh"
#include "tests/decoder/private_network.hh"
#include "tests/e2e/program_run.hh"

#include <gtest/gtest.h>

#include <chrono>
#include <format>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

namespace decoder {
namespace {

constexpr int kQueries = 60;
constexpr int kDrainEveryMs = 5;

class ServerTraffic : public testing::Test {
 protected:
  void SetUp() override {
    try {
      network_ = std::make_unique<PrivateNetwork>();
    } catch (const base::SystemError& error) {
      if (error.error_number() != EPERM) throw;
      GTEST_SKIP() << "SKIPPED: needs the right to create network namespaces: " << error.what();
    }
    prepare_folder(folder_.path());
  }

  // Starts it, asks over each of the URLs and returns what both decoders made of it.
  Counts compare(const std::vector<std::string>& server, const std::vector<std::string>& urls) {
    base::ChildProcess process = network_->start_server(server, folder_.path() / "server.log");
    for (const std::string& url : urls) wait_until_ready(process, url);
    {
      const netns::Entered inside(network_->client());
      capture_.emplace(kDevice);
    }
    for (const std::string& url : urls) {
      // With both kinds of key exchange, and so with one and two datagrams of ClientHello.
      for (const std::string groups : {"X25519", "X25519MLKEM768:X25519"}) {
        base::ChildProcess client =
            network_->start_client(labquery(url, {"--count", std::to_string(kQueries), "--groups",
                                                  groups, "--keylog", keylog()}),
                                   client_log());
        EXPECT_TRUE(end_of(client).succeeded()) << url << base::read_file(client_log());
      }
    }
    process.send_signal(SIGTERM);
    end_of(process);
    capture_->drain(packets_);
    EXPECT_EQ(capture_->counters().dropped, 0U);
    return compare_capture();
  }

 private:
  std::vector<std::string> labquery(const std::string& url,
                                    const std::vector<std::string>& options) const {
    std::vector<std::string> argv{
        e2e::program("labquery"),  url,     kQuestion, "A", "--name", kServerName, "--ca",
        folder_.path() / "ca.pem", "--json"};
    argv.insert(argv.end(), options.begin(), options.end());
    return argv;
  }

  // Asks until there is an answer. Throws where the server ends or never answers.
  void wait_until_ready(base::ChildProcess& server, const std::string& url) const {
    const base::SystemClock clock;
    const base::Instant deadline = clock.now() + std::chrono::seconds(20);
    while (clock.now() < deadline) {
      if (const auto status = server.poll())
        throw base::LabError("the server ended: " + status->describe() + "\n" + server_log());
      base::ChildProcess client =
          network_->start_client(labquery(url, {"--timeout", "1s"}), client_log());
      if (client.wait().succeeded()) return;
    }
    throw base::LabError(url + " never answered:\n" + base::read_file(client_log()) + server_log());
  }

  // Waits for a process, emptying the capture's ring meanwhile.
  base::ExitStatus end_of(base::ChildProcess& process) {
    pollfd ended{.fd = process.pidfd().number(), .events = POLLIN, .revents = 0};
    while (::poll(&ended, 1, kDrainEveryMs) == 0) capture_->drain(packets_);
    capture_->drain(packets_);
    return process.wait();
  }

  Counts compare_capture() {
    captures::PcapngWriter writer({.application = "labrun's tests", .comment = ""});
    const captures::InterfaceId interface = writer.add_interface(
        {.name = "client", .description = "", .snap_length = capture_->snap_length()});
    writer.add_secrets(base::read_file(keylog()));
    for (const captures::CapturedPacket& packet : packets_)
      writer.add_packet(interface, packet, {});
    const std::filesystem::path file = folder_.path() / "client.pcapng";
    base::write_file_atomically(file, writer.bytes());
    const Comparison comparison = compare_decoders(file);
    EXPECT_TRUE(comparison.differences().empty()) << comparison.report();
    std::cout << describe(comparison.counts());
    // tshark 4.4 loses its way in some, and now and then in many, of the handshakes whose long
    // ClientHello a Retry interrupts; that is one connection of four with nginx, none of the
    // others.
    EXPECT_LE(comparison.counts().undecrypted(), comparison.counts().quic_packets() / 5);
    return comparison.counts();
  }

  std::filesystem::path keylog() const { return folder_.path() / "keys.log"; }
  std::filesystem::path client_log() const { return folder_.path() / "client.log"; }
  std::string server_log() const { return base::read_file(folder_.path() / "server.log"); }

  e2e::TemporaryFolder folder_;
  std::unique_ptr<PrivateNetwork> network_;
  std::optional<captures::PacketCapture> capture_;
  std::vector<captures::CapturedPacket> packets_;

 protected:
  const std::filesystem::path& folder() const { return folder_.path(); }
};

std::string url(const std::string& transport, const std::string& port = "") {
  return transport + "://" + kServerAddress + port;
}

// Every query has at least this much of each.
void expect_quic(const Counts& counts, std::size_t queries) {
  for (const std::string type : {"Initial", "Handshake", "1-RTT"})
    EXPECT_GE(counts.of_type(type), queries) << type;
}

TEST_F(ServerTraffic, Nginx) {
  const Counts counts = compare(nginx(folder()), {url("doh2"), url("doh3"), url("doh3", ":444")});
  expect_quic(counts, 4 * kQueries);
  EXPECT_GE(counts.of_type("Retry"), 2 * kQueries);
  EXPECT_GE(counts.tls_records, 2 * kQueries);
}

TEST_F(ServerTraffic, Knot) {
  const Counts counts = compare(knot(folder()), {url("dot"), url("doq")});
  expect_quic(counts, 2 * kQueries);
  EXPECT_GE(counts.tls_records, 2 * kQueries);
  // Query and answer of each; but its answers over QUIC span packets.
  EXPECT_GE(counts.dns, 6 * kQueries);
  EXPECT_GE(counts.left_out_for(kDnsOverPackets), 2 * kQueries);
}

TEST_F(ServerTraffic, Caddy) {
  const Counts counts = compare(caddy(folder()), {url("doh2"), url("doh3")});
  expect_quic(counts, 2 * kQueries);
  EXPECT_GE(counts.tls_records, 2 * kQueries);
}

}  // namespace
}  // namespace decoder
