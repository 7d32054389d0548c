#pragma once

// Holds our decoder's reading of captures to tshark's, packet by packet, and counts what was
// compared and what was not.
//
// QUIC: type, version, connection IDs, token length, packet number and all frames of every packet.
// A frame is compared by its type; CRYPTO, STREAM, ACK and PADDING by their contents as well.
//
// TLS: handshake messages that are complete, by name and length, for each direction of each flow.
// The two decoders show a message at different packets: ours in parts, where its bytes are; tshark
// as a whole, where it is completed.
//
// DNS: direction and questions of each message.
//
// Left out, and counted by reason:
// - what is in QUIC packets that tshark cannot decrypt, and TLS and DNS of flows with such packets
//   that it does not show (what we alone cannot decrypt is a difference);
// - packets with parts of a DNS message over QUIC: tshark reads each STREAM frame by itself;
// - DNS over QUIC that tshark shows as stream data only, as after some a Retry;
// - a DNS message that only one of the two repeats when its bytes are sent once more;
// - DNS in HTTP that tshark hands to no dissector of its own: queries of GET, and all of HTTP/3.

#include "tests/decoder/seen_packet.hh"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace decoder {

struct Difference {
  std::string capture;
  std::uint64_t packet = 0;
  std::string ours;
  std::string tshark;
};

inline constexpr const char* kOnlyWeDecrypt = "QUIC packets that only we decrypt";
inline constexpr const char* kNeitherDecrypts = "QUIC packets that neither decrypts";
inline constexpr const char* kUnseenHandshakes =
    "TLS messages of flows that tshark cannot decrypt all of";
inline constexpr const char* kUnseenDns = "DNS messages of flows that tshark cannot decrypt all of";
inline constexpr const char* kDnsOverPackets =
    "packets with parts of DNS messages over QUIC, which tshark takes for whole ones";
inline constexpr const char* kUndissectedDoq =
    "DNS messages over QUIC that tshark does not dissect";
inline constexpr const char* kRepeatedDns = "DNS messages that only one of the two repeats";
inline constexpr const char* kDnsInHttp = "DNS in HTTP that tshark does not dissect";

struct Counts {
  std::size_t captured = 0;                 // packets in the files
  std::size_t compared = 0;                 // packets with QUIC, TLS or DNS in them
  std::map<std::string, std::size_t> quic;  // QUIC packets by type
  std::size_t frames = 0;
  std::size_t tls_records = 0;  // packets in which tshark sees records over TCP
  std::size_t handshakes = 0;   // TLS messages
  std::size_t dns = 0;
  std::map<std::string, std::size_t> left_out;

  Counts& operator+=(const Counts& other);
  std::size_t quic_packets() const;
  std::size_t of_type(const std::string& quic_type) const;
  std::size_t left_out_for(const std::string& reason) const;
  // QUIC packets that tshark did not decrypt.
  std::size_t undecrypted() const;
};
std::string describe(const Counts& counts);

class Comparison {
 public:
  // Both in the order of the file. `capture` is what differences call it.
  Comparison(std::string capture, const std::vector<SeenPacket>& ours,
             const std::vector<SeenPacket>& tshark);

  const Counts& counts() const { return counts_; }
  const std::vector<Difference>& differences() const { return differences_; }
  // The first few differences, and how many there are; empty without any.
  std::string report() const;

 private:
  // What a flow has shown so far in one direction.
  struct Flow {
    std::uint64_t first_packet = 0;
    bool http = false;                   // as far as tshark has shown
    bool undecrypted_by_tshark = false;  // a packet of it is, and so maybe what follows
    std::set<SeenDns> our_dns;
    std::set<SeenDns> tshark_dns;
    std::set<SeenHandshake> our_parts;
    std::set<SeenHandshake> tshark_messages;
  };

  void compare_packet(const SeenPacket& ours, const SeenPacket& tshark);
  void compare_quic(const SeenPacket& ours, const SeenPacket& tshark, Flow& flow);
  void compare_dns(const SeenPacket& ours, const SeenPacket& tshark, Flow& flow);
  void compare_handshakes(const std::string& name, const Flow& flow);
  void differ(std::uint64_t packet, std::string ours, std::string tshark);

  std::string capture_;
  Counts counts_;
  std::vector<Difference> differences_;
  std::map<std::string, Flow> flows_;
};

}  // namespace decoder
