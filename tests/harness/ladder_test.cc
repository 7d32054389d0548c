// How explanations look to people; the pictures are golden files, read critically when they change.

#include "harness/ladder.hh"

#include "analysis/capture_file.hh"
#include "harness/capture_report.hh"
#include "tests/analysis/stored_query.hh"
#include "tests/harness/golden.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace harness {
namespace {

std::string ladder(const char* stored, analysis::Details details, Colors colors = Colors::kOff) {
  const test::Analysed query = test::StoredQuery(stored).analyse();
  const auto causes = analysis::find_causes(query.exchange);
  const auto explanation = analysis::explain(query.exchange, causes, query.record);
  return render_ladder({query.record, query.exchange, causes, explanation, query.findings}, details,
                       colors);
}

TEST(Ladder, LooksAsItWasReviewed) {
  expect_golden("ladder-doq-stall.txt", ladder("stall", analysis::Details::kShort));
  expect_golden("ladder-dot-syn.txt", ladder("syn", analysis::Details::kShort));
  expect_golden("ladder-doh3-probe-lost.txt", ladder("probe-lost", analysis::Details::kShort));
  expect_golden("ladder-doq-all.txt", ladder("split", analysis::Details::kAll));
  expect_golden("ladder-do53-late.txt", ladder("late", analysis::Details::kShort));
}

TEST(Ladder, ColoursChangeNothingButColours) {
  const std::string plain = ladder("syn", analysis::Details::kShort);
  std::string coloured = ladder("syn", analysis::Details::kShort, Colors::kOn);
  EXPECT_NE(coloured, plain);
  for (std::size_t start = coloured.find('\x1b'); start != std::string::npos;
       start = coloured.find('\x1b'))
    coloured.erase(start, coloured.find('m', start) + 1 - start);
  EXPECT_EQ(coloured, plain);
}

std::string report(const std::string& folder, const std::string& file) {
  std::ifstream stream(tests::source_folder() / "tests" / "data" / folder / file, std::ios::binary);
  return render_capture(file, analysis::read_capture(stream, ""), Colors::kOff);
}

TEST(CaptureReport, LooksAsItWasReviewed) {
  expect_golden("capture-ours.txt", report("findings/stall", "0-client.pcapng"));
}

// Captures of others, without keys: what an Initial shows, and that the rest cannot be seen.
TEST(CaptureReport, SaysWhereItsSightEnds) {
  std::string all;
  for (const char* file :
       {"interop-quic-go_quic-go-handshake.pcap", "interop-quic-go_quic-go-retry.pcap",
        "interop-quic-go_quic-go-zerortt.pcap", "quicdoq.pcap", "quicv2-http3-443.pcap"})
    all += report("foreign", file);
  expect_golden("capture-foreign.txt", all);
  EXPECT_THAT(all, testing::HasSubstr("version 2"));
  EXPECT_THAT(all, testing::HasSubstr("no keys of this connection in the capture"));
}

}  // namespace
}  // namespace harness
