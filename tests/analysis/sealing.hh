#pragma once

// What a sender does to packets and records, so that tests and fuzz targets can hide anything
// behind a seal that opens.

#include "analysis/key_schedule.hh"
#include "analysis/quic_header.hh"
#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace analysis {

transport::Bytes from_hex(std::string_view digits);
void append_varint(transport::Bytes& to, std::uint64_t value);

// A QUIC packet before protection. Its number is written in four bytes.
struct PlainPacket {
  QuicPacketType type = QuicPacketType::kInitial;
  QuicVersion version = QuicVersion::kV1;
  transport::Bytes dcid;
  transport::Bytes scid;   // of long headers
  transport::Bytes token;  // of Initial
  std::uint64_t number = 0;
  bool phase = false;  // of 1-RTT
  transport::Bytes frames;
};

struct PacketKeys {
  CipherSuite suite = CipherSuite::kAes128Gcm;
  Secret secret;
  Secret header_secret;  // another one after a key update, which changes no header protection
};

// RFC 9001 section 5.
transport::Bytes seal_packet(const PlainPacket& packet, const PacketKeys& keys);
// Of `from`, under the keys that follow from `client_dcid`.
transport::Bytes seal_initial(End from, const PlainPacket& packet, transport::ByteSpan client_dcid);

// RFC 8446 section 5.2: a record of `type` inside, with `padding` zeros.
transport::Bytes seal_record(CipherSuite suite, const Secret& secret, std::uint64_t sequence,
                             std::uint8_t type, transport::ByteSpan content,
                             std::size_t padding = 0);

}  // namespace analysis
