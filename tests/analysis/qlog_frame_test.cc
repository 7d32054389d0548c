// Each frame as it comes from the wire, in the words of qlog.

#include "analysis/qlog_frame.hh"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace analysis {
namespace {

using transport::Bytes;

std::string qlog(const Bytes& bytes, std::uint64_t exponent = 3) {
  const auto frames = parse_quic_frames(bytes);
  if (!frames || frames->size() != 1) return "not one frame";
  return qlog_frame(frames->front(), exponent).dump();
}

TEST(QlogFrame, DelaysHaveTheUnitOfTheirSender) {
  const Bytes ack{0x02, 10, 5, 0, 2};
  EXPECT_EQ(qlog(ack), R"({"frame_type":"ack","ack_delay":0.04,"acked_ranges":[[8,10]]})");
  EXPECT_EQ(qlog(ack, 10), R"({"frame_type":"ack","ack_delay":5.12,"acked_ranges":[[8,10]]})");
  EXPECT_EQ(qlog({0x03, 10, 0, 0, 0, 1, 2, 3}),
            R"({"frame_type":"ack","ack_delay":0.0,"acked_ranges":[[10]]})");
}

TEST(QlogFrame, LimitsSayWhoseTheyAre) {
  EXPECT_EQ(qlog({0x10, 9}), R"({"frame_type":"max_data","maximum":9})");
  EXPECT_EQ(qlog({0x11, 4, 9}), R"({"frame_type":"max_stream_data","stream_id":4,"maximum":9})");
  EXPECT_EQ(qlog({0x12, 9}),
            R"({"frame_type":"max_streams","stream_type":"bidirectional","maximum":9})");
  EXPECT_EQ(qlog({0x13, 9}),
            R"({"frame_type":"max_streams","stream_type":"unidirectional","maximum":9})");
  EXPECT_EQ(qlog({0x14, 9}), R"({"frame_type":"data_blocked","limit":9})");
  EXPECT_EQ(qlog({0x15, 4, 9}), R"({"frame_type":"stream_data_blocked","stream_id":4,"limit":9})");
  EXPECT_EQ(qlog({0x16, 9}),
            R"({"frame_type":"streams_blocked","stream_type":"bidirectional","limit":9})");
  EXPECT_EQ(qlog({0x17, 9}),
            R"({"frame_type":"streams_blocked","stream_type":"unidirectional","limit":9})");
}

TEST(QlogFrame, ConnectionIdsAreWrittenOut) {
  Bytes bytes{0x18, 2, 1, 4, 0x0a, 0xff, 3, 4};
  bytes.resize(bytes.size() + 16);
  EXPECT_EQ(qlog(bytes),
            R"({"frame_type":"new_connection_id","sequence_number":2,"retire_prior_to":1,)"
            R"("connection_id_length":4,"connection_id":"0aff0304"})");
  EXPECT_EQ(qlog({0x19, 5}), R"({"frame_type":"retire_connection_id","sequence_number":5})");
}

TEST(QlogFrame, TheOthersHaveWhatTheyCarry) {
  EXPECT_EQ(qlog({0x00, 0x00}), R"({"frame_type":"padding","payload_length":2})");
  EXPECT_EQ(qlog({0x01}), R"({"frame_type":"ping"})");
  EXPECT_EQ(qlog({0x04, 4, 7, 9}),
            R"({"frame_type":"reset_stream","stream_id":4,"error_code":7,"final_size":9})");
  EXPECT_EQ(qlog({0x05, 4, 7}), R"({"frame_type":"stop_sending","stream_id":4,"error_code":7})");
  EXPECT_EQ(qlog({0x06, 3, 2, 'a', 'b'}), R"({"frame_type":"crypto","offset":3,"length":2})");
  EXPECT_EQ(qlog({0x07, 2, 'a', 'b'}), R"({"frame_type":"new_token","token":{"length":2}})");
  EXPECT_EQ(qlog({0x0a, 4, 1, 'a'}),
            R"({"frame_type":"stream","stream_id":4,"offset":0,"length":1})");
  EXPECT_EQ(qlog({0x1a, 1, 2, 3, 4, 5, 6, 7, 8}), R"({"frame_type":"path_challenge"})");
  EXPECT_EQ(qlog({0x1b, 1, 2, 3, 4, 5, 6, 7, 8}), R"({"frame_type":"path_response"})");
  EXPECT_EQ(qlog({0x1c, 7, 6, 2, 'n', 'o'}),
            R"({"frame_type":"connection_close","error_space":"transport","error_code":7})");
  EXPECT_EQ(qlog({0x1e}), R"({"frame_type":"handshake_done"})");
  EXPECT_EQ(qlog({0x31, 2, 'a', 'b'}), R"({"frame_type":"datagram","length":2})");
  QuicFrame unknown;
  unknown.type = 0xface;
  EXPECT_EQ(qlog_frame(unknown, 3).dump(), R"({"frame_type":"unknown","raw_frame_type":64206})");
}

}  // namespace
}  // namespace analysis
