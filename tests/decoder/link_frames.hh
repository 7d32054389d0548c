#pragma once

// Writes captures as other machines and programs leave them: classic pcap, of various link types,
// byte orders and time resolutions, out of Ethernet frames.

#include "captures/captured_packet.hh"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decoder {

struct PcapForm {
  std::string_view name;
  std::uint32_t link_type = 0;  // LINKTYPE_ registry of pcap
  std::endian order = std::endian::little;
  bool nanoseconds = false;
  // Precedes the IP packet. An EtherType is put at `ethertype_at`, unless that is kNoEthertype.
  std::string_view header;
  std::size_t ethertype_at = 0;
};
inline constexpr std::size_t kNoEthertype = ~std::size_t{0};

// The file's bytes. All frames must be IPv4 in Ethernet without tags.
std::string pcap_of(const PcapForm& form, const std::vector<captures::CapturedPacket>& packets);

// The forms of IPv4 that are seen most.
const std::vector<PcapForm>& pcap_forms();

}  // namespace decoder
