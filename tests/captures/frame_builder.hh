#pragma once

// Ethernet frames and records for tests of captures/ and analysis/, byte by byte as the lab sends
// them.

#include "captures/captured_packet.hh"
#include "captures/ip_packet.hh"
#include "captures/query_record.hh"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::string_view kClient = "198.51.100.1";
inline constexpr std::string_view kServer = "198.51.100.53";
inline constexpr std::string_view kClient6 = "2001:db8:53::1";
inline constexpr std::string_view kServer6 = "2001:db8:53::53";

inline void append_16(Bytes& bytes, unsigned value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

inline Bytes joined(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

// Checksums are left at zero: nothing here looks at them.
inline Bytes udp(std::uint16_t source_port, std::uint16_t destination_port,
                 std::string_view payload) {
  Bytes segment;
  append_16(segment, source_port);
  append_16(segment, destination_port);
  append_16(segment, static_cast<unsigned>(8 + payload.size()));
  append_16(segment, 0);
  return joined(segment, bytes_of(payload));
}

inline Bytes tcp(std::uint16_t source_port, std::uint16_t destination_port,
                 std::string_view payload) {
  Bytes segment;
  append_16(segment, source_port);
  append_16(segment, destination_port);
  segment.resize(20);
  segment[12] = 5 << 4U;
  return joined(segment, bytes_of(payload));
}

inline Bytes icmp(std::uint8_t type, const Bytes& payload) {
  return joined({type, 0, 0, 0, 0, 0, 0, 0}, payload);
}

struct Ipv4Options {
  unsigned identification = 1;
  unsigned flags_and_offset = 0x4000;  // don't fragment
};

inline Bytes ipv4(std::string_view source, std::string_view destination, std::uint8_t protocol,
                  const Bytes& transport, const Ipv4Options& options = {}) {
  Bytes packet{0x45, 0};
  append_16(packet, static_cast<unsigned>(20 + transport.size()));
  append_16(packet, options.identification);
  append_16(packet, options.flags_and_offset);
  packet.insert(packet.end(), {64, protocol, 0, 0});
  for (const std::string_view address : {source, destination}) {
    const auto parsed = captures::parse_ip_address(address).value();
    packet.insert(packet.end(), parsed.bytes.begin() + 12, parsed.bytes.end());
  }
  return joined(packet, transport);
}

inline Bytes ipv6(std::string_view source, std::string_view destination, std::uint8_t next_header,
                  const Bytes& transport) {
  Bytes packet{0x60, 0, 0, 0};
  append_16(packet, static_cast<unsigned>(transport.size()));
  packet.insert(packet.end(), {next_header, 64});
  for (const std::string_view address : {source, destination}) {
    const auto parsed = captures::parse_ip_address(address).value();
    packet.insert(packet.end(), parsed.bytes.begin(), parsed.bytes.end());
  }
  return joined(packet, transport);
}

inline Bytes ethernet(const Bytes& packet) {
  Bytes frame{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
  append_16(frame, packet.at(0) >> 4U == 6 ? 0x86dd : 0x0800);
  return joined(frame, packet);
}

inline captures::CapturedPacket captured(std::int64_t timestamp_ns, captures::Direction direction,
                                         const Bytes& frame) {
  return {.timestamp_ns = timestamp_ns,
          .direction = direction,
          .original_length = static_cast<std::uint32_t>(frame.size()),
          .bytes = frame};
}

// A UDP query from the client's `local_port` to port 53 of the server.
inline captures::QueryRecord udp_record(std::string id, std::uint16_t local_port) {
  captures::QueryRecord record;
  record.cell = id.substr(0, id.find(':'));
  record.transport = record.cell;
  record.id = std::move(id);
  record.outcome = captures::Outcome::kAnswered;
  record.time = std::chrono::milliseconds(40);
  record.flows.push_back({.protocol = "udp",
                          .local_address = std::string(kClient),
                          .local_port = local_port,
                          .remote_address = std::string(kServer),
                          .remote_port = 53});
  return record;
}

inline Bytes query_frame(std::uint16_t local_port, std::string_view payload) {
  return ethernet(ipv4(kClient, kServer, 17, udp(local_port, 53, payload)));
}

inline Bytes answer_frame(std::uint16_t local_port, std::string_view payload) {
  return ethernet(ipv4(kServer, kClient, 17, udp(53, local_port, payload)));
}

}  // namespace test
