#pragma once

// What HTTP/2 and HTTP/3 have in common as carriages of DNS (RFC 8484): requests and responses are
// put together from header sections and bodies, and those that are DNS become messages.

#include "analysis/dns_carriage.hh"
#include "analysis/field_list.hh"
#include "transport/http_fields.hh"
#include "transport/http_message.hh"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace analysis {

class DohCarriage : public DnsCarriage {
 protected:
  // Whether a message ends with a stream, or within its last frame.
  explicit DohCarriage(bool ends_with_stream) : ends_with_stream_(ends_with_stream) {}

  // A header section opens the stream's message in this direction, or ends it as trailers. `range`
  // is that of the frames.
  void add_fields(End from, std::uint64_t stream, const FieldList& fields, ByteRange range);
  // Without effect where no message is open: its headers were not understood, or it was given up.
  void add_body(End from, std::uint64_t stream, transport::ByteSpan bytes, ByteRange range);
  // A part of the body that was too long to be kept: the end of a DNS message, but not of others.
  void skip_body(End from, std::uint64_t stream, ByteRange range);
  void end_message(End from, std::uint64_t stream);
  void drop_message(End from, std::uint64_t stream);

 private:
  struct Assembly {
    explicit Assembly(transport::Role receiver) : http(receiver) {}
    transport::HttpAssembly http;
    std::vector<ByteRange> ranges;
  };
  using Assemblies = std::map<std::uint64_t, Assembly>;  // by stream
  void give_up(End from, std::uint64_t stream, std::string_view reason);
  Assembly& open(End from, std::uint64_t stream);

  bool ends_with_stream_;
  std::array<Assemblies, 2> open_;
  std::set<std::uint64_t> asked_;  // streams with a DNS query and no answer yet
};

}  // namespace analysis
