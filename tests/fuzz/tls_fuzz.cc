// Whatever two ends write on a TCP connection, messages lie within themselves, no more application
// data comes out than bytes went in, and how the bytes were cut into segments changes nothing.
// Built with libFuzzer.
//
// Input: a byte that chooses what is known before (0 nothing; else hellos and secrets), then pieces
// (fuzz_input.hh). Their kind: bit 0 the sender; bits 1 and 2 what the bytes are: 0 bytes of the
// stream, else the content of a record sealed with early, handshake or traffic keys, whose type
// comes from bits 3 and 4; bit 5 that zeros pad the content.

#include "analysis/tls_record_stream.hh"
#include "base/errors.hh"
#include "tests/analysis/sealing.hh"
#include "tests/fuzz/fuzz_input.hh"
#include "tests/fuzz/known_hellos.hh"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using analysis::End;
using analysis::MessagePart;
using analysis::SecretLabel;
using transport::Bytes;
using transport::ByteSpan;

struct Segment {
  End from = End::kClient;
  Bytes bytes;
};

Bytes plain_record(const Bytes& message) {
  Bytes record{22, 3, 3, 0, static_cast<std::uint8_t>(message.size())};
  transport::append(record, message);
  return record;
}

class Sender {
 public:
  Segment piece(const fuzz::Piece& piece) {
    const End from = (piece.kind & 1U) != 0 ? End::kServer : End::kClient;
    const unsigned what = piece.kind >> 1U & 3U;
    if (what == 0) return {from, Bytes(piece.bytes.begin(), piece.bytes.end())};
    const bool client = from == End::kClient;
    SecretLabel label = SecretLabel::kClientEarlyTraffic;
    if (what == 2)
      label = client ? SecretLabel::kClientHandshakeTraffic : SecretLabel::kServerHandshakeTraffic;
    if (what == 3) label = client ? SecretLabel::kClientTraffic0 : SecretLabel::kServerTraffic0;
    constexpr std::array<std::uint8_t, 4> kTypes{22, 23, 21, 20};
    constexpr std::size_t kMostContent = 1U << 14U;
    return {from, seal_record(analysis::CipherSuite::kAes128Gcm, fuzz::secret_of(label),
                              sequence_.at(static_cast<std::size_t>(label))++,
                              kTypes.at(piece.kind >> 3U & 3U),
                              piece.bytes.first(std::min(kMostContent, piece.bytes.size())),
                              (piece.kind & 0x20U) != 0 ? 7 : 0)};
  }

 private:
  std::array<std::uint64_t, 5> sequence_{};  // by label
};

struct Reading {
  std::array<Bytes, 2> application;
  std::array<std::vector<MessagePart>, 2> parts;
  std::array<std::string, 2> problems;
  std::array<std::uint64_t, 2> undecrypted{};
  bool operator==(const Reading&) const = default;
};

Reading read(const std::vector<Segment>& segments, const analysis::SecretStore& secrets,
             std::size_t largest) {
  analysis::HandshakeFacts facts;
  std::array<analysis::TlsRecordStream, 2> streams{
      analysis::TlsRecordStream(End::kClient, secrets, facts),
      analysis::TlsRecordStream(End::kServer, secrets, facts)};
  std::array<std::uint64_t, 2> sent{};
  Reading reading;
  for (const auto& [from, bytes] : segments) {
    const auto side = static_cast<std::size_t>(from);
    for (std::size_t at = 0; at < bytes.size(); at += largest) {
      const ByteSpan piece = ByteSpan(bytes).subspan(at, std::min(largest, bytes.size() - at));
      transport::append(reading.application.at(side), streams.at(side).add(piece));
    }
    sent.at(side) += bytes.size();
  }
  for (std::size_t side = 0; side < 2; ++side) {
    analysis::TlsRecordStream& stream = streams.at(side);
    const std::uint64_t opened = reading.application.at(side).size();
    LABRUN_ASSERT(opened <= sent.at(side));
    stream.label_application(analysis::MessageKind::kDnsQuery, opened / 3, opened / 2);
    reading.parts.at(side) = stream.parts(0, sent.at(side));
    reading.problems.at(side) = stream.problem();
    reading.undecrypted.at(side) = stream.undecrypted();
    for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, sent.at(side)},
                                     {sent.at(side) / 3, sent.at(side) / 2},
                                     {sent.at(side) / 2, sent.at(side) / 2 + 1}})
      for (const MessagePart& part : stream.parts(begin, end)) {
        LABRUN_ASSERT(part.length > 0 && part.length <= end - begin);
        LABRUN_ASSERT(part.length <= part.total && part.offset <= part.total - part.length);
      }
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  analysis::SecretStore secrets;
  std::vector<Segment> segments;
  if (data[0] % 2 != 0) {
    fuzz::add_known_secrets(secrets);
    segments.push_back({End::kClient, plain_record(fuzz::client_hello("dot"))});
    segments.push_back({End::kServer, plain_record(fuzz::server_hello())});
  }
  Sender sender;
  for (const fuzz::Piece& piece : fuzz::pieces_of({data + 1, size - 1}))
    segments.push_back(sender.piece(piece));
  const Reading whole = read(segments, secrets, 100'000);
  LABRUN_ASSERT(read(segments, secrets, 7) == whole);
  LABRUN_ASSERT(read(segments, secrets, 1) == whole);
  return 0;
}
