#pragma once

// Frames of the link types that captures of IP come in, and where the IP packet lies in each.
// Numbers and layouts are those of the LINKTYPE_ registry of pcap and pcapng
// (draft-ietf-opsawg-pcaplinktype). Bounded, allocation-free, and safe on any bytes.

#include "captures/ip_packet.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace captures {

inline constexpr std::uint32_t kLinkNull = 0;  // BSD loopback, in its host's byte order
inline constexpr std::uint32_t kLinkEthernet = 1;
inline constexpr std::uint32_t kLinkPpp = 9;
// What OpenBSD and other systems call raw IP within, and some writers put into files.
inline constexpr std::uint32_t kLinkRawSystem = 12;
inline constexpr std::uint32_t kLinkRawOpenBsd = 14;
inline constexpr std::uint32_t kLinkRaw = 101;
inline constexpr std::uint32_t kLinkLoop = 108;         // OpenBSD loopback, in network byte order
inline constexpr std::uint32_t kLinkLinuxCooked = 113;  // SLL, as of the "any" interface
inline constexpr std::uint32_t kLinkIpv4 = 228;
inline constexpr std::uint32_t kLinkIpv6 = 229;
inline constexpr std::uint32_t kLinkLinuxCookedTwo = 276;  // SLL2

inline constexpr std::array kKnownLinkTypes{
    kLinkNull, kLinkEthernet,    kLinkPpp,  kLinkRawSystem, kLinkRawOpenBsd,    kLinkRaw,
    kLinkLoop, kLinkLinuxCooked, kLinkIpv4, kLinkIpv6,      kLinkLinuxCookedTwo};

bool is_known_link_type(std::uint32_t link_type);

// Where the IP packet starts in a frame: what both ends of a path see alike lies behind. The byte
// there is in the frame and has the IP version that the link header announces. The error says in
// words why there is none, an unknown link type included.
std::expected<std::size_t, std::string_view> ip_offset(std::uint32_t link_type,
                                                       std::span<const std::uint8_t> frame);

// Takes a frame as captured. The error says in words why this is no IP packet, or none that can be
// counted.
std::expected<IpPacket, std::string_view> parse_frame(std::uint32_t link_type,
                                                      std::span<const std::uint8_t> frame);

// parse_frame() of the link type that the lab's own captures have.
std::expected<IpPacket, std::string_view> parse_ethernet_frame(std::span<const std::uint8_t> frame);

}  // namespace captures
