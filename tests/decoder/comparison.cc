#include "tests/decoder/comparison.hh"

#include <algorithm>
#include <format>
#include <numeric>
#include <ranges>

namespace decoder {
namespace {

constexpr std::size_t kReported = 8;

// The messages whose parts are all there. Each is named as a whole, as tshark does.
std::set<SeenHandshake> completed(const std::set<SeenHandshake>& parts) {
  std::set<SeenHandshake> whole;
  // Parts of one message are neighbours, in the order of their offsets.
  std::uint64_t covered = 0;
  const SeenHandshake* previous = nullptr;
  for (const SeenHandshake& part : parts) {
    if (previous == nullptr || previous->name != part.name || previous->length != part.length)
      covered = 0;
    if (part.offset <= covered) covered = std::max(covered, part.offset + part.here);
    if (covered >= part.length)
      whole.insert({.name = part.name, .length = part.length, .offset = 0, .here = part.length});
    previous = &part;
  }
  return whole;
}

std::vector<SeenHandshake> listed(const std::set<SeenHandshake>& messages) {
  return {messages.begin(), messages.end()};
}

// Those that the flow has not shown before; all of them are remembered.
std::vector<SeenDns> news(const std::vector<SeenDns>& messages, std::set<SeenDns>& known) {
  std::vector<SeenDns> fresh;
  for (const SeenDns& message : messages)
    if (known.insert(message).second) fresh.push_back(message);
  return fresh;
}

// Where a short header's connection ID ends, its receiver alone knows for certain: it is compared
// where both decoders have found out.
bool same_packet(SeenQuicPacket ours, SeenQuicPacket tshark) {
  if (ours.type == "1-RTT" && (ours.dcid.value_or("").empty() || tshark.dcid.value_or("").empty()))
    ours.dcid = tshark.dcid;
  return ours == tshark;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  captured += other.captured;
  compared += other.compared;
  for (const auto& [type, count] : other.quic) quic[type] += count;
  frames += other.frames;
  tls_records += other.tls_records;
  handshakes += other.handshakes;
  dns += other.dns;
  for (const auto& [reason, count] : other.left_out) left_out[reason] += count;
  return *this;
}

std::size_t Counts::quic_packets() const {
  const auto each = quic | std::views::values;
  return std::accumulate(each.begin(), each.end(), std::size_t{0});
}

std::size_t Counts::of_type(const std::string& quic_type) const {
  const auto found = quic.find(quic_type);
  return found == quic.end() ? 0 : found->second;
}

std::size_t Counts::left_out_for(const std::string& reason) const {
  const auto found = left_out.find(reason);
  return found == left_out.end() ? 0 : found->second;
}

std::size_t Counts::undecrypted() const {
  return left_out_for(kOnlyWeDecrypt) + left_out_for(kNeitherDecrypts);
}

std::string describe(const Counts& counts) {
  std::string text = std::format(
      "{} of {} captured packets compared: {} QUIC packets with {} frames, {} packets with TLS "
      "records over TCP, {} TLS handshake messages, {} DNS messages\n",
      counts.compared, counts.captured, counts.quic_packets(), counts.frames, counts.tls_records,
      counts.handshakes, counts.dns);
  for (const auto& [type, count] : counts.quic) text += std::format("  {}: {}\n", type, count);
  for (const auto& [reason, count] : counts.left_out)
    text += std::format("  left out: {}: {}\n", reason, count);
  return text;
}

Comparison::Comparison(std::string capture, const std::vector<SeenPacket>& ours,
                       const std::vector<SeenPacket>& tshark)
    : capture_(std::move(capture)) {
  for (std::size_t index = 0; index < std::max(ours.size(), tshark.size()); ++index) {
    if (index >= ours.size() || index >= tshark.size() ||
        ours[index].number != tshark[index].number) {
      differ(index + 1, std::format("{} packets, or others", ours.size()),
             std::format("{} packets", tshark.size()));
      break;
    }
    compare_packet(ours[index], tshark[index]);
  }
  for (const auto& [name, flow] : flows_) compare_handshakes(name, flow);
}

void Comparison::compare_packet(const SeenPacket& ours, const SeenPacket& tshark) {
  ++counts_.captured;
  if (tshark.tls_record) ++counts_.tls_records;
  const auto nothing_in = [](const SeenPacket& packet) {
    return packet.quic.empty() && packet.tls.empty() && packet.dns.empty();
  };
  if (nothing_in(ours) && nothing_in(tshark)) return;
  ++counts_.compared;
  Flow& flow = flows_[tshark.flow];
  if (flow.first_packet == 0) flow.first_packet = ours.number;
  compare_quic(ours, tshark, flow);
  compare_dns(ours, tshark, flow);
  flow.our_parts.insert(ours.tls.begin(), ours.tls.end());
  for (const SeenHandshake& message : tshark.tls)
    if (!message.name.empty()) flow.tshark_messages.insert(message);
}

void Comparison::compare_quic(const SeenPacket& ours, const SeenPacket& tshark, Flow& flow) {
  // tshark does not look behind a packet that it cannot decrypt for one with a short header.
  const bool ends_early = ours.quic.size() == tshark.quic.size() + 1 && !tshark.quic.empty() &&
                          tshark.quic.back().has_number() && !tshark.quic.back().number &&
                          ours.quic.back().type == "1-RTT";
  if (ours.quic.size() != tshark.quic.size() && !ends_early) {
    differ(ours.number, describe_all(ours.quic), describe_all(tshark.quic));
    return;
  }
  for (std::size_t index = 0; index < tshark.quic.size(); ++index) {
    const SeenQuicPacket& our = ours.quic[index];
    SeenQuicPacket their = tshark.quic[index];
    ++counts_.quic[their.type];
    counts_.frames += their.frames.size();
    if (our.has_number() && !their.number) {
      flow.undecrypted_by_tshark = true;
      ++counts_.left_out[our.number ? kOnlyWeDecrypt : kNeitherDecrypts];
      their.number = our.number;
      their.frames = our.frames;
    }
    if (!same_packet(our, their)) differ(ours.number, describe(our), describe(their));
  }
  if (ends_early) ++counts_.left_out[kOnlyWeDecrypt];
}

void Comparison::compare_dns(const SeenPacket& ours, const SeenPacket& tshark, Flow& flow) {
  flow.http = flow.http || tshark.http;
  const std::vector<SeenDns> our_news = news(ours.dns, flow.our_dns);
  const std::vector<SeenDns> tshark_news = news(tshark.dns, flow.tshark_dns);
  if (ours.dns_over_packets) {
    ++counts_.left_out[kDnsOverPackets];
  } else if (ours.dns == tshark.dns) {
    counts_.dns += ours.dns.size();
  } else if (our_news == tshark_news) {
    ++counts_.left_out[kRepeatedDns];
  } else if (tshark.dns.empty() && (flow.http || flow.undecrypted_by_tshark)) {
    counts_.left_out[flow.undecrypted_by_tshark ? kUnseenDns : kDnsInHttp] += ours.dns.size();
  } else if (tshark.dns.empty() && !ours.quic.empty()) {
    counts_.left_out[kUndissectedDoq] += ours.dns.size();
  } else {
    differ(ours.number, "DNS: " + describe_all(ours.dns), "DNS: " + describe_all(tshark.dns));
  }
}

void Comparison::compare_handshakes(const std::string& name, const Flow& flow) {
  const std::set<SeenHandshake> ours = completed(flow.our_parts);
  counts_.handshakes += flow.tshark_messages.size();
  if (ours == flow.tshark_messages) return;
  if (flow.undecrypted_by_tshark && std::ranges::includes(ours, flow.tshark_messages)) {
    counts_.left_out[kUnseenHandshakes] += ours.size() - flow.tshark_messages.size();
    return;
  }
  differ(flow.first_packet, name + ": " + describe_all(listed(ours)),
         name + ": " + describe_all(listed(flow.tshark_messages)));
}

void Comparison::differ(std::uint64_t packet, std::string ours, std::string tshark) {
  differences_.push_back({.capture = capture_,
                          .packet = packet,
                          .ours = std::move(ours),
                          .tshark = std::move(tshark)});
}

std::string Comparison::report() const {
  if (differences_.empty()) return "";
  std::string text = std::format("{} differences in {}", differences_.size(), capture_);
  for (const Difference& difference : differences_ | std::views::take(kReported))
    text += std::format("\n{} packet {}\n  ours:   {}\n  tshark: {}", difference.capture,
                        difference.packet, difference.ours, difference.tshark);
  return text + "\n";
}

}  // namespace decoder
