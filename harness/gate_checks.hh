#pragma once

// What can never come to the packet gate, so that a rule that waits for it is a mistake.

#include "analysis/end.hh"
#include "analysis/packet_meaning.hh"
#include "harness/gate_rule.hh"
#include "harness/scenario.hh"
#include "harness/transport_kind.hh"

#include <optional>
#include <span>
#include <string>

namespace harness {

// Why no query of the lab has such a packet: "quic-version-negotiation never happens: ...".
std::optional<std::string> why_never(analysis::Meaning meaning);
// Why no packet, of that end if it is known, is `meaning` as well as all of `others`, which go
// together.
std::optional<std::string> why_no_packet(analysis::Meaning meaning,
                                         std::optional<analysis::End> from,
                                         std::span<const analysis::Meaning> others);
// Why the rule takes no packet of any query over one of these transports, of which there is at
// least one, where a connection is to be found like that.
std::optional<std::string> why_no_match(const GateRule& rule, std::span<const Transport> transports,
                                        Connection connection);

}  // namespace harness
