#include "harness/capture_report.hh"

#include "analysis/capture_file.hh"
#include "analysis/finding.hh"
#include "analysis/key_schedule.hh"
#include "base/text.hh"

#include <algorithm>
#include <format>
#include <vector>

namespace harness {
namespace {

using analysis::CapturedConversation;
using analysis::ConversationFacts;
using analysis::End;
using analysis::HandshakeFacts;

// More conversations than these are only counted; --packets has them all.
constexpr std::size_t kMostConversations = 200;
constexpr std::size_t kMostUnread = 5;

std::string endpoint(const captures::IpAddress& address, std::uint16_t port) {
  if (port == 0) return captures::to_string(address);
  return std::format("{} port {}", captures::to_string(address), port);
}

std::string version_name(std::uint32_t version) {
  if (version == 1) return "version 1";
  if (version == static_cast<std::uint32_t>(analysis::QuicVersion::kV2)) return "version 2";
  return std::format("version {:#010x}", version);
}

std::string handshake_text(const ConversationFacts& facts) {
  const HandshakeFacts& handshake = facts.handshake;
  std::vector<std::string> words;
  if (facts.quic_version != 0) words.push_back(version_name(facts.quic_version));
  if (!handshake.server_name.empty()) words.push_back("server name " + handshake.server_name);
  if (!handshake.alpn.empty()) {
    words.push_back("ALPN " + handshake.alpn);
  } else if (!handshake.offered_alpn.empty()) {
    words.push_back("ALPN offered: " + base::joined(handshake.offered_alpn, ", "));
  }
  if (handshake.group) words.push_back(analysis::group_name(*handshake.group));
  if (handshake.client_hello_bytes > 0)
    words.push_back(std::format("ClientHello {} bytes", handshake.client_hello_bytes));
  if (handshake.server_hello_bytes > 0)
    words.push_back(std::format("ServerHello {} bytes", handshake.server_hello_bytes));
  if (handshake.certificate_bytes > 0)
    words.push_back(std::format("certificates {} bytes", handshake.certificate_bytes));
  return base::joined(words, ", ");
}

std::string dns_text(const CapturedConversation& conversation) {
  std::vector<std::string> words;
  std::size_t messages = 0;
  for (const analysis::PacketEvent& event : conversation.exchange.events)
    for (const analysis::DnsFacts& dns : event.packet.dns) {
      constexpr std::size_t kMostMessages = 4;
      if (++messages > kMostMessages) continue;
      words.push_back(std::format("{} {}{}", dns.response ? "answer" : "query",
                                  base::joined(dns.questions, ", "),
                                  dns.rcode.empty() ? "" : " " + dns.rcode));
    }
  if (messages > words.size()) words.push_back(std::format("{} more", messages - words.size()));
  return base::joined(words, ", ");
}

std::string packets_text(const CapturedConversation& conversation) {
  const auto& events = conversation.exchange.events;
  const auto from_client = static_cast<std::size_t>(
      std::ranges::count(events, End::kClient, &analysis::PacketEvent::from));
  const double milliseconds =
      static_cast<double>(events.back().sent_ns - events.front().sent_ns) / 1e6;
  return std::format("{} from the client, {} from the server, {:.1f} ms; the first is packet {}",
                     from_client, events.size() - from_client, milliseconds, events.front().number);
}

std::string conversation_text(const CapturedConversation& conversation, Colors colors) {
  const ConversationFacts& facts = conversation.exchange.conversations.front();
  const captures::FiveTuple& tuple = conversation.tuple;
  std::string text =
      paint(std::format("{}: {} to {}", facts.protocol, endpoint(tuple.source, tuple.source_port),
                        endpoint(tuple.destination, tuple.destination_port)),
            Ink::kBold, colors);
  text += '\n' + labelled("packets", packets_text(conversation));
  if (const std::string words = handshake_text(facts); !words.empty())
    text += labelled("handshake", words);
  if (const std::string words = dns_text(conversation); !words.empty())
    text += labelled("DNS", words);
  if (!facts.sight_ends.empty())
    text += labelled("not seen", facts.undecrypted > 0
                                     ? std::format("{} protected packets or records: {}",
                                                   facts.undecrypted, facts.sight_ends)
                                     : facts.sight_ends);
  for (const analysis::PacketEvent& event : conversation.exchange.events)
    if (!event.packet.problem.empty()) {
      text += labelled("problem", std::format("packet {}: {}", event.number, event.packet.problem));
      break;
    }
  for (const analysis::Finding& finding :
       analysis::find_all(conversation.exchange, {}, {.two_ended = false})) {
    std::string packets;
    for (const analysis::PacketReference& packet : finding.packets)
      packets += std::format("{}{}", packets.empty() ? "" : ",", packet.number);
    text += labelled(to_string(analysis::finding_rule(finding.id).severity),
                     std::format("{} (packet {}): {}", finding.id, packets, finding.text));
  }
  return text + '\n';
}

}  // namespace

std::string render_capture(const std::filesystem::path& file, const analysis::CaptureFile& capture,
                           Colors colors) {
  std::string text = std::format("{}: {} packets, {} conversations, {} secrets\n\n", file.string(),
                                 capture.packets, capture.conversations.size(), capture.secrets);
  const std::size_t shown = std::min(capture.conversations.size(), kMostConversations);
  for (std::size_t index = 0; index < shown; ++index)
    text += conversation_text(capture.conversations[index], colors);
  if (shown < capture.conversations.size())
    text += std::format("{} more conversations\n", capture.conversations.size() - shown);
  for (std::size_t index = 0; index < std::min(capture.unread.size(), kMostUnread); ++index)
    text += labelled("not read", std::format("packet {}: {}", capture.unread[index].number,
                                             capture.unread[index].why));
  if (capture.unread_count > kMostUnread)
    text += labelled("not read", std::format("{} packets in all", capture.unread_count));
  return text;
}

}  // namespace harness
