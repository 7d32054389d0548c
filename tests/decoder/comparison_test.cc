// The comparison itself: equal readings of a packet pass, and every kind of wrong reading is found
// and reported.

#include "tests/decoder/comparison.hh"

#include "base/errors.hh"
#include "tests/decoder/labrun_packets.hh"
#include "tests/decoder/tshark_packets.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace decoder {
namespace {

// A datagram of an Initial and a 1-RTT packet, as each of the two programs shows it.
constexpr std::string_view kOurLine =
    R"({"number":7,"time_ns":1750000000000000000,"from":"client","protocol":"udp","length":1242,)"
    R"("quic":[{"type":"Initial","version":1,"dcid":"88d9","scid":"d32e","token_length":3,)"
    R"("number":2,"frames":[{"type":6,"name":"CRYPTO","offset":10,"length":285},)"
    R"({"type":2,"name":"ACK","ranges":[[7,9],[0,4]]},{"type":0,"name":"PADDING","length":12}]},)"
    R"({"type":"1-RTT","dcid":"88d9","number":5,"frames":[{"type":8,"name":"STREAM","stream":4,)"
    R"("offset":100,"length":50,"fin":true},{"type":24,"name":"NEW_CONNECTION_ID"}]}],)"
    R"("tls":[{"name":"ClientHello","length":285,"offset":0,"here":285}],)"
    R"("dns":[{"id":0,"response":false,"questions":["a.lab.test AAAA"]}]})";

constexpr std::string_view kPdml = R"pdml(<?xml version="1.0" encoding="utf-8"?>
<pdml version="0" creator="wireshark">
<packet>
  <proto name="geninfo" pos="0" showname="General information" size="1242">
    <field name="num" pos="0" show="7" showname="Number" value="7" size="1242"/>
  </proto>
  <proto name="ip" showname="Internet Protocol Version 4, Src: 198.51.100.1, Dst: 198.51.100.53">
  </proto>
  <proto name="udp" showname="User Datagram Protocol, Src Port: 10001, Dst Port: 853">
  </proto>
  <proto name="quic" showname="QUIC IETF" size="600" pos="42">
    <field name="quic.header_form" showname="1... .... = Header Form" show="1" value="1"/>
    <field name="quic.long.packet_type" showname="..00 .... = Initial (0)" show="0" value="0"/>
    <field name="quic.version" showname="Version: 1" show="0x00000001" value="00000001"/>
    <field name="quic.dcid" showname="Destination Connection ID" show="88:d9" value="88d9"/>
    <field name="quic.scid" showname="Source Connection ID" show="d3:2e" value="d32e"/>
    <field name="quic.token_length" showname="Token Length: 3" show="3" value="03"/>
    <field name="quic.packet_number" showname="Packet Number: 2" show="2" value="6c"/>
    <field name="quic.frame" showname="CRYPTO" size="289" pos="42" show="" value="">
      <field name="quic.frame_type" showname="CRYPTO" show="0x0000000000000006" value="06"/>
      <field name="quic.crypto.offset" showname="Offset: 10" show="10" value="0a"/>
      <field name="quic.crypto.length" showname="Length: 285" show="285" value="411d"/>
      <proto name="tls" showname="TLSv1.3">
        <field name="tls.handshake.type" showname="Client Hello" show="1" value="01"/>
        <field name="tls.handshake.length" showname="Length: 281" show="281" value="000119"/>
      </proto>
    </field>
    <field name="quic.frame" showname="ACK" size="7" pos="331" show="" value="">
      <field name="quic.frame_type" showname="ACK" show="0x0000000000000002" value="02"/>
      <field name="quic.ack.largest_acknowledged" show="9" value="09"/>
      <field name="quic.ack.first_ack_range" show="2" value="02"/>
      <field name="quic.ack.gap" show="1" value="01"/>
      <field name="quic.ack.ack_range" show="4" value="04"/>
    </field>
    <field name="quic.frame" showname="PADDING Length: 12" size="12" show="" value="">
      <field name="quic.frame_type" showname="PADDING" show="0x0000000000000000" value="00"/>
      <field name="quic.padding_length" showname="Padding Length: 12" size="0" show="12"/>
    </field>
  </proto>
  <proto name="quic" showname="QUIC IETF" size="600" pos="642">
    <field name="quic.short" showname="QUIC Short Header &quot; show=&quot;" show="" value="">
      <field name="quic.header_form" showname="0... .... = Header Form" show="0" value="0"/>
      <field name="quic.dcid" showname="Destination Connection ID" show="88:d9" value="88d9"/>
      <field name="quic.packet_number" showname="Packet Number: 5" show="5" value="b3"/>
    </field>
    <field name="quic.frame" showname="STREAM id=4 fin=1 off=100 len=50" size="54" show="">
      <field name="quic.frame_type" showname="STREAM" show="0x000000000000000f" value="0f"/>
      <field name="quic.stream.stream_id" showname="Stream ID: 4" show="4" value="04"/>
      <field name="quic.stream.offset" showname="Offset: 100" show="100" value="4064"/>
      <field name="quic.stream.length" showname="Length: 50" show="50" value="32"/>
      <field name="quic.stream_data" showname="Stream Data" size="50" pos="650" show="00"/>
    </field>
    <field name="quic.frame" showname="NEW_CONNECTION_ID" size="28" show="" value="">
      <field name="quic.frame_type" showname="" show="0x0000000000000018" value="18"/>
    </field>
  </proto>
  <proto name="quic" showname="QUIC IETF" size="20" pos="1222">
    <field name="_ws.expert" showname="(Random) padding data appended to the datagram"/>
  </proto>
  <proto name="dns" showname="Domain Name System (query)" size="130" pos="32">
    <field name="dns.flags" showname="Flags: 0x0100 Standard query" show="0x0100" value="0100"/>
    <field name="dns.qry.name" showname="Name: a.lab.test" show="a.lab.test" value="0161"/>
    <field name="dns.qry.type" showname="Type: AAAA (28)" show="28" value="001c"/>
  </proto>
</packet>
</pdml>
)pdml";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) changed.replace(at, from.size(), to);
  return changed;
}

Comparison compare(std::string_view our_lines, std::string_view pdml = kPdml) {
  return Comparison("sample.pcapng", parse_packet_lines(our_lines), parse_pdml(pdml));
}

TEST(Comparison, EqualReadingsAreEqual) {
  const Comparison comparison = compare(kOurLine);
  EXPECT_EQ(comparison.report(), "");
  EXPECT_EQ(comparison.counts().captured, 1U);
  EXPECT_EQ(comparison.counts().compared, 1U);
  EXPECT_EQ(comparison.counts().quic_packets(), 2U);
  EXPECT_EQ(comparison.counts().frames, 5U);
  EXPECT_EQ(comparison.counts().handshakes, 1U);
  EXPECT_EQ(comparison.counts().dns, 1U);
  EXPECT_TRUE(comparison.counts().left_out.empty());
}

TEST(Comparison, ReadsTsharkAsItReadsLabrun) {
  const auto ours = parse_packet_lines(kOurLine);
  const auto tshark = parse_pdml(kPdml);
  ASSERT_EQ(tshark.size(), 1U);
  EXPECT_EQ(describe_all(tshark[0].quic),
            "Initial number 2 version 0x1 dcid 88d9 scid d32e token of 3 [CRYPTO 10+285, ACK 7-9 "
            "0-4, PADDING 12]; 1-RTT number 5 dcid 88d9 [STREAM 4 100+50 fin, frame 0x18]");
  EXPECT_EQ(describe_all(ours[0].quic), describe_all(tshark[0].quic));
  EXPECT_EQ(describe_all(tshark[0].dns), "query a.lab.test 28");
  EXPECT_EQ(describe_all(tshark[0].tls), "ClientHello of 281, 0+281");
}

// Each doctored line must be found, with both readings in the report.
struct Doctored {
  std::string name;
  std::string from;
  std::string to;
};
class DoctoredComparison : public testing::TestWithParam<Doctored> {};

TEST_P(DoctoredComparison, IsReported) {
  const Comparison comparison = compare(replaced(kOurLine, GetParam().from, GetParam().to));
  ASSERT_EQ(comparison.differences().size(), 1U) << comparison.report();
  const Difference& difference = comparison.differences()[0];
  EXPECT_EQ(difference.packet, 7U);
  EXPECT_NE(difference.ours, difference.tshark);
  EXPECT_THAT(comparison.report(), testing::AllOf(testing::HasSubstr("sample.pcapng packet 7"),
                                                  testing::HasSubstr(difference.ours),
                                                  testing::HasSubstr(difference.tshark)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, DoctoredComparison,
    testing::Values(
        Doctored{"PacketNumber", R"("number":2)", R"("number":3)"},
        Doctored{"PacketType", R"("type":"Initial")", R"("type":"Handshake")"},
        Doctored{"Version", R"("version":1)", R"("version":2)"},
        Doctored{"ConnectionId", R"("dcid":"88d9")", R"("dcid":"88d8")"},
        Doctored{"ShortHeadersConnectionId", R"(1-RTT","dcid":"88d9")", R"(1-RTT","dcid":"88")"},
        Doctored{"SourceConnectionId", R"("scid":"d32e")", R"("scid":"")"},
        Doctored{"TokenLength", R"("token_length":3)", R"("token_length":0)"},
        Doctored{"NotDecrypted", R"("number":5)", R"("undecrypted":"no keys")"},
        Doctored{"CryptoOffset", R"("offset":10)", R"("offset":0)"},
        Doctored{"CryptoLength", R"("length":285)", R"("length":284)"},
        Doctored{"AckRange", "[0,4]", "[1,4]"}, Doctored{"AckRangeMissing", ",[0,4]", ""},
        Doctored{"FrameMissing", R"({"type":2,"name":"ACK","ranges":[[7,9],[0,4]]},)", ""},
        Doctored{"FrameType", R"("type":2,"name":"ACK")", R"("type":3,"name":"ACK_ECN")"},
        Doctored{"Padding", R"("length":12})", R"("length":11})"},
        Doctored{"StreamId", R"("stream":4)", R"("stream":0)"},
        Doctored{"StreamOffset", R"("offset":100)", R"("offset":101)"},
        Doctored{"StreamLength", R"("length":50)", R"("length":51)"},
        Doctored{"StreamFin", R"(,"fin":true)", ""},
        Doctored{"OtherFrame", R"("type":24)", R"("type":25)"},
        Doctored{"HandshakeName", "ClientHello", "ServerHello"},
        Doctored{"HandshakeLength", R"("length":285,"offset":0)", R"("length":284,"offset":0)"},
        Doctored{"HandshakeIncomplete", R"("here":285)", R"("here":284)"},
        Doctored{"DnsDirection", R"("response":false)", R"("response":true)"},
        Doctored{"DnsName", "a.lab.test", "b.lab.test"}, Doctored{"DnsType", "AAAA", "A"},
        Doctored{"DnsMissing", R"({"id":0,"response":false,"questions":["a.lab.test AAAA"]})", ""}),
    [](const auto& instance) { return instance.param.name; });

TEST(Comparison, MissingAndSurplusPacketsAreReported) {
  EXPECT_EQ(compare("").differences().size(), 1U);
  const std::string twice = std::string(kOurLine) + "\n" + std::string(kOurLine) + "\n";
  EXPECT_EQ(compare(twice).differences().size(), 1U);
  EXPECT_EQ(compare(replaced(kOurLine, R"("number":7)", R"("number":8)")).differences().size(), 1U);
}

TEST(Comparison, MissingQuicPacketIsReported) {
  const Comparison comparison = compare(R"({"number":7,"tls":[{"name":"ClientHello",)"
                                        R"("length":285,"offset":0,"here":285}],"dns":[{"response")"
                                        R"(:false,"questions":["a.lab.test AAAA"]}]})");
  ASSERT_EQ(comparison.differences().size(), 1U) << comparison.report();
  EXPECT_EQ(comparison.differences()[0].ours, "nothing");
}

TEST(Comparison, ShortHeadersConnectionIdNeedNotBeKnown) {
  EXPECT_EQ(compare(replaced(kOurLine, R"(1-RTT","dcid":"88d9")", R"(1-RTT")")).report(), "");
}

TEST(Comparison, HandshakePartsMakeAWhole) {
  const std::string parts = R"([{"name":"ClientHello","length":285,"offset":104,"here":181},)"
                            R"({"name":"ClientHello","length":285,"offset":0,"here":104}])";
  const std::string whole = R"([{"name":"ClientHello","length":285,"offset":0,"here":285}])";
  EXPECT_EQ(compare(replaced(kOurLine, whole, parts)).report(), "");
}

TEST(Comparison, WhatOnlyWeDecryptIsLeftOut) {
  const std::string without_frames = R"(<packet><proto name="geninfo"><field name="num" show="7"/>
    <proto name="quic"><field name="quic.header_form" show="1"/>
    <field name="quic.long.packet_type" show="0"/><field name="quic.version" value="00000001"/>
    <field name="quic.dcid" value="88d9"/><field name="quic.scid" value="d32e"/>
    <field name="quic.token_length" show="3"/><field name="quic.packet_number" show="1234"/></proto>
    <proto name="quic"><field name="quic.header_form" show="0"/>
    <field name="quic.dcid" value="88d9"/></proto></packet>)";
  const Comparison comparison = compare(kOurLine, without_frames);
  EXPECT_EQ(comparison.report(), "");
  EXPECT_THAT(comparison.counts().left_out,
              testing::UnorderedElementsAre(testing::Pair(kOnlyWeDecrypt, 2U),
                                            testing::Pair(kUnseenDns, 1U),
                                            testing::Pair(kUnseenHandshakes, 1U)));
  EXPECT_EQ(comparison.counts().undecrypted(), 2U);
  EXPECT_EQ(comparison.counts().frames, 0U);

  // Its headers are compared nevertheless.
  EXPECT_EQ(compare(replaced(kOurLine, "d32e", "d32f"), without_frames).differences().size(), 1U);
}

TEST(Comparison, DnsInHttpIsLeftOut) {
  const std::string web = replaced(kPdml, "<proto name=\"dns\"", "<proto name=\"http3\"");
  const Comparison in_http =
      compare(kOurLine, replaced(replaced(replaced(web, "dns.flags", "-"), "dns.qry.name", "-"),
                                 "dns.qry.type", "-"));
  EXPECT_EQ(in_http.report(), "");
  EXPECT_THAT(in_http.counts().left_out, testing::ElementsAre(testing::Pair(kDnsInHttp, 1U)));
}

TEST(Comparison, RepeatedDnsMessageIsLeftOut) {
  const std::string again =
      "\n"
      R"({"number":8,"dns":[{"response":false,"questions":["a.lab.test AAAA"]}]})";
  const std::string silent = R"(<packet><proto name="geninfo"><field name="num" show="8"/></proto>
  <proto name="ip" showname="Internet Protocol Version 4, Src: 198.51.100.1, Dst: 198.51.100.53"/>
  <proto name="udp" showname="User Datagram Protocol, Src Port: 10001, Dst Port: 853"/>
</packet></pdml>)";
  const Comparison comparison =
      compare(std::string(kOurLine) + again, replaced(kPdml, "</pdml>", silent));
  EXPECT_EQ(comparison.report(), "");
  EXPECT_THAT(comparison.counts().left_out, testing::ElementsAre(testing::Pair(kRepeatedDns, 1U)));
}

TEST(Comparison, MalformedInputIsAnError) {
  EXPECT_THROW(parse_packet_lines("{\"number\":1"), base::LabError);
  EXPECT_THROW(parse_packet_lines(R"({"quic":[]})"), base::LabError);
  EXPECT_THROW(parse_pdml(replaced(kPdml, "show=\"285\"", "show=\"many\"")), base::LabError);
}

}  // namespace
}  // namespace decoder
