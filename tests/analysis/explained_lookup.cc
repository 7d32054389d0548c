#include "tests/analysis/explained_lookup.hh"

#include "analysis/quic_conversation.hh"
#include "analysis/secret_store.hh"
#include "transport/dns_message.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace test {
namespace {

using analysis::End;

// As DNS over QUIC has messages: behind two bytes of length (RFC 9250 section 4.2).
transport::Bytes framed(const transport::DnsMessage& message, std::size_t padding_block) {
  const transport::Bytes wire = transport::encode_dns_message(message, padding_block);
  transport::Bytes bytes{static_cast<std::uint8_t>(wire.size() >> 8U),
                         static_cast<std::uint8_t>(wire.size())};
  transport::append(bytes, wire);
  return bytes;
}

}  // namespace

ExplainedLookup::ExplainedLookup(std::size_t chain_bytes, std::string_view group,
                                 transport::RetryPolicy retry)
    : lookup(chain_bytes, group, retry), retry_(retry) {
  const transport::DnsMessage query =
      transport::make_query(0, {.name = "a.lab.test", .type = transport::RecordType::kA});
  lookup.client.question = framed(query, transport::kQueryPaddingBlock);
  lookup.log.answer = framed(transport::make_response(query, transport::Rcode::kNoError),
                             transport::kResponsePaddingBlock);
  lookup.client_settings.keylog = [this](std::string_view line) {
    keylog_ += std::string(line) + "\n";
  };
  lookup.network.path = [this](const transport::SentDatagram& datagram) {
    const auto fate = fates_.find({datagram.from_client, datagram.ordinal});
    return fate == fates_.end() ? std::optional(base::Nanoseconds(0)) : fate->second;
  };
}

void ExplainedLookup::drop(End from, std::size_t ordinal) {
  fates_[{from == End::kClient, ordinal}] = std::nullopt;
}

void ExplainedLookup::hold(End from, std::size_t ordinal, base::Nanoseconds extra) {
  fates_[{from == End::kClient, ordinal}] = extra;
}

void ExplainedLookup::run() {
  ASSERT_TRUE(lookup.run());
  decode();
  record.outcome = captures::Outcome::kAnswered;
  record.time = lookup.client.answered_at;
  causes = analysis::find_causes(exchange);
  explanation = analysis::explain(exchange, causes, record);
  findings = analysis::find_all(
      exchange, causes,
      {.record = &record, .retry_always = retry_ == transport::RetryPolicy::kAlways});
  base::Nanoseconds total = explanation.unexplained;
  for (const captures::SumPart& part : explanation.sum) total += part.time;
  EXPECT_EQ(total, *record.time) << explanation.text;
}

void ExplainedLookup::decode() {
  analysis::SecretStore secrets;
  secrets.add(keylog_);
  analysis::QuicConversation conversation(secrets);
  for (const transport::SentDatagram& datagram : lookup.network.sent) {
    captures::IpPacket packet;
    packet.tuple.protocol = captures::IpProtocol::kUdp;
    packet.ip_length = static_cast<std::uint32_t>(datagram.bytes.size() + 28);
    packet.payload = datagram.bytes;
    const End from = datagram.from_client ? End::kClient : End::kServer;
    analysis::PacketEvent event{.from = from,
                                .sent_ns = datagram.sent_at.count(),
                                .arrived_ns = {},
                                .number = datagram.ordinal + 1,
                                .packet = conversation.take(from, packet)};
    event.ordinal = datagram.ordinal + 1;
    const auto fate = fates_.find({datagram.from_client, datagram.ordinal});
    const auto extra = fate == fates_.end() ? std::optional(base::Nanoseconds(0)) : fate->second;
    if (extra) event.arrived_ns = (datagram.sent_at + transport::kOneWayDelay + *extra).count();
    exchange.events.push_back(std::move(event));
  }
  for (analysis::PacketEvent& event : exchange.events)
    conversation.describe(event.from, event.packet);
  exchange.conversations.push_back(conversation.facts());
  exchange.delay_from_client = transport::kOneWayDelay;
  exchange.delay_from_server = transport::kOneWayDelay;
  exchange.work_is_free = true;
  exchange.client_initial_rtt = lookup.quic.initial_rtt;
}

std::string ExplainedLookup::sum_words() const {
  std::string words;
  for (const captures::SumPart& part : explanation.sum)
    if (part.what != "work") words += (words.empty() ? "" : "+") + part.what;
  return words;
}

base::Nanoseconds ExplainedLookup::time_of(std::string_view what) const {
  base::Nanoseconds time{0};
  for (const captures::SumPart& part : explanation.sum)
    if (part.what == what) time += part.time;
  return time;
}

bool ExplainedLookup::has_finding(std::string_view id) const {
  return std::ranges::contains(findings, id, &analysis::Finding::id);
}

}  // namespace test
