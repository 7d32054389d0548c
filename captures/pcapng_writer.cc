#include "captures/pcapng_writer.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/pcapng_format.hh"

#include <bit>
#include <concepts>
#include <format>
#include <limits>

namespace captures {
namespace {

void append_integer(std::string& bytes, std::unsigned_integral auto value) {
  for (std::size_t byte = 0; byte < sizeof(value); ++byte)
    bytes += static_cast<char>(value >> (8 * byte) & 0xffU);
}

void append_padded(std::string& bytes, std::string_view data) {
  bytes += data;
  bytes.append(pcapng::padded(data.size()) - data.size(), '\0');
}

void append_option(std::string& bytes, std::uint16_t code, std::string_view value) {
  // Option lengths have 16 bits; a longer text loses its tail.
  value = value.substr(0, std::numeric_limits<std::uint16_t>::max());
  append_integer(bytes, code);
  append_integer(bytes, static_cast<std::uint16_t>(value.size()));
  append_padded(bytes, value);
}

void append_option(std::string& bytes, std::uint16_t code, std::unsigned_integral auto value) {
  std::string encoded;
  append_integer(encoded, value);
  append_option(bytes, code, std::string_view(encoded));
}

// Options that are empty are left out.
void append_text_option(std::string& bytes, std::uint16_t code, std::string_view text) {
  if (!text.empty()) append_option(bytes, code, text);
}

void end_options(std::string& bytes) {
  append_integer(bytes, pcapng::kEndOfOptions);
  append_integer(bytes, std::uint16_t{0});
}

// Two words, the high one first in either byte order.
void append_timestamp(std::string& bytes, std::int64_t timestamp_ns) {
  const auto value = std::bit_cast<std::uint64_t>(timestamp_ns);
  append_integer(bytes, static_cast<std::uint32_t>(value >> 32U));
  append_integer(bytes, static_cast<std::uint32_t>(value & 0xffffffffU));
}

}  // namespace

PcapngWriter::PcapngWriter(const SectionFacts& facts) {
  std::string body;
  append_integer(body, pcapng::kByteOrderMagic);
  append_integer(body, std::uint16_t{1});  // version 1.0
  append_integer(body, std::uint16_t{0});
  // The section's length is left unspecified, as for a stream.
  append_integer(body, std::numeric_limits<std::uint64_t>::max());
  append_text_option(body, pcapng::kComment, facts.comment);
  append_text_option(body, pcapng::kSectionApplication, facts.application);
  end_options(body);
  append_block(pcapng::kSectionHeaderBlock, body);
}

InterfaceId PcapngWriter::add_interface(const InterfaceFacts& facts) {
  std::string body;
  append_integer(body, pcapng::kLinkTypeEthernet);
  append_integer(body, std::uint16_t{0});
  append_integer(body, facts.snap_length);
  append_text_option(body, pcapng::kInterfaceName, facts.name);
  append_text_option(body, pcapng::kInterfaceDescription, facts.description);
  append_option(body, pcapng::kInterfaceTimestampResolution, pcapng::kNanosecondResolution);
  end_options(body);
  append_block(pcapng::kInterfaceBlock, body);
  return interfaces_++;
}

void PcapngWriter::add_secrets(std::string_view keylog) {
  std::string body;
  append_integer(body, pcapng::kTlsKeylog);
  append_integer(body, static_cast<std::uint32_t>(keylog.size()));
  append_padded(body, keylog);
  append_block(pcapng::kSecretsBlock, body);
}

void PcapngWriter::add_packet(InterfaceId interface, const CapturedPacket& packet,
                              std::string_view comment) {
  LABRUN_ASSERT(interface < interfaces_);
  std::string body;
  append_integer(body, interface);
  append_timestamp(body, packet.timestamp_ns);
  append_integer(body, static_cast<std::uint32_t>(packet.bytes.size()));
  append_integer(body, packet.original_length);
  append_padded(body, base::as_text(packet.bytes));
  append_text_option(body, pcapng::kComment, comment);
  append_option(body, pcapng::kPacketFlags, static_cast<std::uint32_t>(packet.direction));
  end_options(body);
  append_block(pcapng::kEnhancedPacketBlock, body);
}

void PcapngWriter::add_statistics(InterfaceId interface, const CaptureCounters& counters,
                                  std::int64_t timestamp_ns) {
  LABRUN_ASSERT(interface < interfaces_);
  std::string body;
  append_integer(body, interface);
  append_timestamp(body, timestamp_ns);
  append_option(body, pcapng::kStatisticsReceived, counters.received);
  append_option(body, pcapng::kStatisticsDroppedByInterface, std::uint64_t{0});
  append_option(body, pcapng::kStatisticsDroppedBySystem, counters.dropped);
  end_options(body);
  append_block(pcapng::kStatisticsBlock, body);
}

void PcapngWriter::append_block(std::uint32_t type, std::string_view body) {
  const std::size_t length = body.size() + pcapng::kBlockOverhead;
  if (length > kMaxCaptureFileBytes - bytes_.size())
    throw base::LabError(
        std::format("a capture file would exceed its limit of {} bytes", kMaxCaptureFileBytes));
  append_integer(bytes_, type);
  append_integer(bytes_, static_cast<std::uint32_t>(length));
  bytes_ += body;
  append_integer(bytes_, static_cast<std::uint32_t>(length));
}

}  // namespace captures
