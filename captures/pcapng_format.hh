#pragma once

// Numbers of the pcapng format (draft-ietf-opsawg-pcapng sections 3 and 4), shared by the writer
// and the reader.

#include <cstddef>
#include <cstdint>

namespace captures::pcapng {

inline constexpr std::uint32_t kSectionHeaderBlock = 0x0a0d0d0a;
inline constexpr std::uint32_t kInterfaceBlock = 1;
inline constexpr std::uint32_t kSimplePacketBlock = 3;
inline constexpr std::uint32_t kStatisticsBlock = 5;
inline constexpr std::uint32_t kEnhancedPacketBlock = 6;
inline constexpr std::uint32_t kSecretsBlock = 10;

inline constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
inline constexpr std::uint32_t kTlsKeylog = 0x544c534b;
inline constexpr std::uint16_t kLinkTypeEthernet = 1;
// Type and total length before the body, the total length again behind it.
inline constexpr std::size_t kBlockOverhead = 12;

// Options of every block.
inline constexpr std::uint16_t kEndOfOptions = 0;
inline constexpr std::uint16_t kComment = 1;
// Options whose number depends on the block.
inline constexpr std::uint16_t kSectionApplication = 4;
inline constexpr std::uint16_t kInterfaceName = 2;
inline constexpr std::uint16_t kInterfaceDescription = 3;
inline constexpr std::uint16_t kInterfaceTimestampResolution = 9;
inline constexpr std::uint16_t kInterfaceTimestampOffset = 14;
inline constexpr std::uint16_t kPacketFlags = 2;
inline constexpr std::uint16_t kStatisticsReceived = 4;
inline constexpr std::uint16_t kStatisticsDroppedByInterface = 5;
inline constexpr std::uint16_t kStatisticsDroppedBySystem = 7;

// Decimal exponent of the nanosecond, as if_tsresol has it.
inline constexpr std::uint8_t kNanosecondResolution = 9;

constexpr std::size_t padded(std::size_t length) {
  return (length + 3) / 4 * 4;
}

}  // namespace captures::pcapng
