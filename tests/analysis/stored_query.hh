#pragma once

// A query's two captures and record from tests/data/findings, to be doctored and analysed again.
// They were cut from runs by "labrun explain RUN QUERY --save".

#include "analysis/block_account.hh"
#include "analysis/exchange.hh"
#include "analysis/finding.hh"
#include "captures/captured_packet.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace test {

struct StoredEnd {
  std::vector<captures::CapturedPacket> packets;
  std::string keylog;
};

// What the analysis made of a stored query.
struct Analysed {
  analysis::BlockAccount account;
  analysis::Exchange exchange;
  std::vector<analysis::Finding> findings;
  captures::QueryRecord record;

  bool has(std::string_view id) const;
  const analysis::Finding* find(std::string_view id) const;
};

class StoredQuery {
 public:
  explicit StoredQuery(std::string_view name);

  StoredEnd client;
  StoredEnd server;
  captures::QueryRecord record;
  bool retry_always = false;
  base::Nanoseconds timeout = std::chrono::seconds(10);

  // No answer came in time, whatever the packets say.
  void gave_up();

  // Takes away every IP packet that decodes to something that `unwanted` holds for, at both ends:
  // as if it had never been sent.
  void never_sent(const std::function<bool(const analysis::PacketEvent&)>& unwanted);
  // The same at the receiver only: lost on the way.
  void lost(const std::function<bool(const analysis::PacketEvent&)>& unwanted);
  // Lets a packet that was lost arrive after 20 ms.
  void arrived(const std::function<bool(const analysis::PacketEvent&)>& wanted);

  Analysed analyse() const;

 private:
  void erase(std::vector<captures::CapturedPacket>& packets,
             const std::vector<std::size_t>& numbers) const;
};

}  // namespace test
