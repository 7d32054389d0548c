#pragma once

// Everything that decides what one labdns process serves.

#include "base/clock.hh"
#include "base/rng.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/responder.hh"
#include "transport/dns_message.hh"
#include "transport/quic_listener.hh"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace endpoints {

enum class Protocol { kDo53, kDot, kDoh2, kDoh3, kDoq };

struct ProtocolSpec {
  Protocol protocol;
  std::string_view name;
  std::uint16_t port;
  bool operator==(const ProtocolSpec&) const = default;
};
// With the ports of RFC 1035, 7858, 8484, 9114 and 9250.
inline constexpr ProtocolSpec kProtocols[] = {
    {Protocol::kDo53, "do53", 53},  {Protocol::kDot, "dot", 853}, {Protocol::kDoh2, "doh2", 443},
    {Protocol::kDoh3, "doh3", 443}, {Protocol::kDoq, "doq", 853},
};

struct ServerSpec {
  std::vector<std::string> addresses;  // IPv4 or IPv6
  std::vector<ProtocolSpec> listeners;
  std::vector<transport::DnsRecord> records;
  AnswerSettings answers;

  // Made at the start, or read where `certificate_file` is not empty.
  ChainSpec chain;
  std::filesystem::path certificate_file;
  std::filesystem::path private_key_file;
  // Gets the trust anchor of a chain made at the start; empty: nobody does.
  std::filesystem::path ca_file;

  std::vector<std::string> groups;
  std::size_t session_tickets = 0;  // after each full handshake
  transport::EarlyData early_data = transport::EarlyData::kNone;
  std::string doh_path = "/dns-query";
  transport::RetryPolicy retry = transport::RetryPolicy::kNever;
  std::size_t max_udp_payload = 1200;
  bool pmtud = false;
  base::Nanoseconds initial_rtt = std::chrono::milliseconds(333);
  std::optional<base::Seed> quic_seed;  // transport::QuicSettings::seed, of every connection alike
  // Of every kind of connection.
  base::Nanoseconds idle_timeout = std::chrono::seconds(30);

  // Inherited descriptors; -1 for none.
  int ready_descriptor = -1;
  int keylog_descriptor = -1;
  bool keylog_at_once = false;  // each line before its secret is used; else a connection's together
  int log_descriptor = 2;
  bool quiet = false;
};

}  // namespace endpoints
