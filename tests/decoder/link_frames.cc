#include "tests/decoder/link_frames.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <algorithm>
#include <concepts>

namespace decoder {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kEthernetHeader = 14;
constexpr std::string_view kIpv4Ethertype = "\x08\x00"sv;
constexpr std::uint32_t kMicrosecondMagic = 0xa1b2c3d4;
constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kSnapLength = 262'144;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

void append(std::string& bytes, std::endian order, std::unsigned_integral auto value) {
  if (order != std::endian::native) value = std::byteswap(value);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string frame_of(const PcapForm& form, std::string_view ethernet) {
  if (ethernet.size() < kEthernetHeader || ethernet.substr(12, 2) != kIpv4Ethertype)
    throw base::LabError("not an Ethernet frame of IPv4");
  std::string frame(form.header);
  if (form.ethertype_at != kNoEthertype) frame.replace(form.ethertype_at, 2, kIpv4Ethertype);
  return frame.append(ethernet.substr(kEthernetHeader));
}

}  // namespace

std::string pcap_of(const PcapForm& form, const std::vector<captures::CapturedPacket>& packets) {
  std::string bytes;
  append(bytes, form.order, form.nanoseconds ? kNanosecondMagic : kMicrosecondMagic);
  append(bytes, form.order, std::uint16_t{2});  // version 2.4
  append(bytes, form.order, std::uint16_t{4});
  append(bytes, form.order, std::uint64_t{0});  // time zone and accuracy, which nobody uses
  append(bytes, form.order, kSnapLength);
  append(bytes, form.order, form.link_type);
  for (const captures::CapturedPacket& packet : packets) {
    const std::string frame = frame_of(form, base::as_text(packet.bytes));
    const std::int64_t fraction = packet.timestamp_ns % kNanosecondsPerSecond;
    const auto length = static_cast<std::uint32_t>(frame.size());
    append(bytes, form.order,
           static_cast<std::uint32_t>(packet.timestamp_ns / kNanosecondsPerSecond));
    append(bytes, form.order,
           static_cast<std::uint32_t>(form.nanoseconds ? fraction : fraction / 1000));
    append(bytes, form.order, length);
    append(bytes, form.order, length);
    bytes += frame;
  }
  return bytes;
}

const std::vector<PcapForm>& pcap_forms() {
  constexpr auto kLittle = std::endian::little;
  constexpr auto kBig = std::endian::big;
  static const std::vector<PcapForm> forms{
      {"Ethernet, big-endian", 1, kBig, false, "\2\0\0\0\0\2\2\0\0\0\0\1\0\0"sv, 12},
      {"Ethernet with a VLAN tag, nanoseconds", 1, kLittle, true,
       "\2\0\0\0\0\2\2\0\0\0\0\1\x81\0\0\5\0\0"sv, 16},
      // The address family in the byte order of the capturing machine.
      {"BSD loopback", 0, kLittle, false, "\2\0\0\0"sv, kNoEthertype},
      {"BSD loopback, big-endian", 0, kBig, false, "\0\0\0\2"sv, kNoEthertype},
      {"OpenBSD loopback", 108, kLittle, false, "\0\0\0\2"sv, kNoEthertype},
      {"PPP", 9, kBig, true, "\xff\3\0\x21"sv, kNoEthertype},
      {"raw IP", 101, kLittle, true, ""sv, kNoEthertype},
      {"IPv4", 228, kLittle, false, ""sv, kNoEthertype},
      {"Linux cooked", 113, kLittle, true, "\0\4\0\1\0\6\2\0\0\0\0\1\0\0\0\0"sv, 14},
      {"Linux cooked 2", 276, kBig, false, "\0\0\0\0\0\0\0\1\0\1\4\6\2\0\0\0\0\1\0\0"sv, 0},
  };
  return forms;
}

}  // namespace decoder
