#include "harness/gate_checks.hh"

#include "base/text.hh"
#include "harness/spelling.hh"

#include <algorithm>
#include <format>
#include <string_view>
#include <vector>

namespace harness {
namespace {

using analysis::End;
using analysis::Meaning;

// What must be under way for a packet to be that.
enum class Carrier { kAnything, kTcp, kQuic, kTls };

Carrier carrier_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::kSyn:
    case Meaning::kSynAck:
    case Meaning::kTcpAck:
    case Meaning::kTcpData:
    case Meaning::kFin:
    case Meaning::kRst:
      return Carrier::kTcp;
    case Meaning::kQuicInitial:
    case Meaning::kQuicZeroRtt:
    case Meaning::kQuicHandshake:
    case Meaning::kQuicOneRtt:
    case Meaning::kQuicRetry:
    case Meaning::kQuicVersionNegotiation:
    case Meaning::kQuicAck:
      return Carrier::kQuic;
    case Meaning::kClientHello:
    case Meaning::kServerHello:
    case Meaning::kHelloRetryRequest:
    case Meaning::kEncryptedExtensions:
    case Meaning::kCertificate:
    case Meaning::kCertificateVerify:
    case Meaning::kFinished:
    case Meaning::kNewSessionTicket:
      return Carrier::kTls;
    case Meaning::kDnsQuery:
    case Meaning::kDnsAnswer:
    case Meaning::kIcmp:
      return Carrier::kAnything;
  }
  return Carrier::kAnything;
}

// A packet that is this is nothing else: an empty TCP segment, a datagram of one packet (RFC 9000
// sections 17.2.1 and 17.2.5), or no transport's packet at all.
bool is_alone(Meaning meaning) {
  switch (meaning) {
    case Meaning::kSyn:
    case Meaning::kSynAck:
    case Meaning::kTcpAck:
    case Meaning::kQuicRetry:
    case Meaning::kQuicVersionNegotiation:
    case Meaning::kIcmp:
      return true;
    default:
      return false;
  }
}

// Over UDP, do53 asks again by TCP where the answer was truncated.
bool has(Transport transport, Carrier carrier) {
  switch (carrier) {
    case Carrier::kAnything:
      return true;
    case Carrier::kTcp:
      return !facts(transport).quic;
    case Carrier::kQuic:
      return facts(transport).quic;
    case Carrier::kTls:
      return facts(transport).encrypted;
  }
  return false;
}

std::string_view to_string(Carrier carrier) {
  switch (carrier) {
    case Carrier::kAnything:
      return "packets";
    case Carrier::kTcp:
      return "TCP";
    case Carrier::kQuic:
      return "QUIC";
    case Carrier::kTls:
      return "TLS";
  }
  return {};
}

bool sends(End end, Meaning meaning) {
  switch (meaning) {
    case Meaning::kSyn:
    case Meaning::kQuicZeroRtt:
    case Meaning::kClientHello:
    case Meaning::kDnsQuery:
      return end == End::kClient;
    // The lab's clients have no certificates.
    case Meaning::kSynAck:
    case Meaning::kQuicRetry:
    case Meaning::kQuicVersionNegotiation:
    case Meaning::kServerHello:
    case Meaning::kHelloRetryRequest:
    case Meaning::kEncryptedExtensions:
    case Meaning::kCertificate:
    case Meaning::kCertificateVerify:
    case Meaning::kNewSessionTicket:
    case Meaning::kDnsAnswer:
      return end == End::kServer;
    default:
      return true;
  }
}

bool go_together(Meaning one, Meaning other) {
  if (one == other) return true;
  if (is_alone(one) || is_alone(other)) return false;
  const bool tcp = carrier_of(one) == Carrier::kTcp || carrier_of(other) == Carrier::kTcp;
  const bool quic = carrier_of(one) == Carrier::kQuic || carrier_of(other) == Carrier::kQuic;
  if (tcp && quic) return false;
  // What only acknowledges carries no message.
  return !(one == Meaning::kQuicAck && is_message(other)) &&
         !(other == Meaning::kQuicAck && is_message(one));
}

// Packets by which a connection is opened.
bool opens(Meaning meaning) {
  switch (meaning) {
    case Meaning::kSyn:
    case Meaning::kSynAck:
    case Meaning::kQuicInitial:
    case Meaning::kQuicHandshake:
    case Meaning::kQuicRetry:
      return true;
    default:
      return carrier_of(meaning) == Carrier::kTls;
  }
}

// Why what the query finds leaves no such packet to come.
std::optional<std::string> why_not_found(const GateRule& rule,
                                         std::span<const Transport> transports,
                                         Connection connection) {
  std::vector<Meaning> awaited = rule.is;
  if (rule.after) awaited.push_back(rule.after->meaning.value_or(Meaning::kFinished));
  // Do53 finds nothing, whatever the others find, and may open a connection for a long answer.
  const bool always_open =
      captures::is_open(connection) && !std::ranges::contains(transports, Transport::kDo53);
  for (const Meaning meaning : awaited) {
    if (meaning == Meaning::kQuicZeroRtt && connection != Connection::kEarlyData)
      return std::format("quic-0rtt never comes: client.connection is {}, not early-data",
                         captures::to_string(connection));
    if (always_open && opens(meaning))
      return std::format("{} never comes: client.connection is {}, so the handshake was before",
                         to_string(meaning), captures::to_string(connection));
  }
  return std::nullopt;
}

struct Need {
  std::string_view name;  // as the scenario has it
  Carrier carrier;
};

std::vector<Need> needs_of(const GateRule& rule) {
  std::vector<Need> needs;
  needs.reserve(rule.is.size() + 1);
  for (const Meaning meaning : rule.is) needs.push_back({to_string(meaning), carrier_of(meaning)});
  if (rule.after) {
    needs.push_back({to_string(*rule.after),
                     rule.after->meaning ? carrier_of(*rule.after->meaning) : Carrier::kTls});
  }
  return needs;
}

}  // namespace

std::optional<std::string> why_never(Meaning meaning) {
  if (meaning == Meaning::kQuicVersionNegotiation)
    return "quic-version-negotiation never happens: both ends speak QUIC version 1";
  return std::nullopt;
}

std::optional<std::string> why_no_packet(Meaning meaning, std::optional<End> from,
                                         std::span<const Meaning> others) {
  if (auto why = why_never(meaning)) return why;
  if (from && !sends(*from, meaning))
    return std::format("the {} never sends {}", to_string(*from), to_string(meaning));
  for (const Meaning other : others) {
    if (!go_together(other, meaning))
      return std::format("no packet is both {} and {}", to_string(other), to_string(meaning));
  }
  return std::nullopt;
}

std::optional<std::string> why_no_match(const GateRule& rule, std::span<const Transport> transports,
                                        Connection connection) {
  if (auto why = why_not_found(rule, transports, connection)) return why;
  std::vector<std::string_view> names;
  for (const Transport transport : transports) names.push_back(to_string(transport));
  const std::string queries = "no query over " + join_alternatives(names);
  const std::vector<Need> needs = needs_of(rule);
  for (const Need& need : needs) {
    if (std::ranges::none_of(transports, [&](Transport one) { return has(one, need.carrier); }))
      return std::format("{} never comes: {} uses {}", need.name, queries, to_string(need.carrier));
  }
  const bool one_has_all = std::ranges::any_of(transports, [&](Transport transport) {
    return std::ranges::all_of(needs,
                               [&](const Need& need) { return has(transport, need.carrier); });
  });
  if (one_has_all) return std::nullopt;
  std::vector<std::string> all;
  all.reserve(needs.size());
  for (const Need& need : needs) all.emplace_back(need.name);
  return std::format("takes no packet: {} has {}", queries, base::joined(all, " and "));
}

}  // namespace harness
