#include "analysis/finding.hh"

#include "analysis/finding_detectors.hh"
#include "base/errors.hh"

#include <algorithm>
#include <array>
#include <format>

namespace analysis {
namespace {

using enum Severity;

constexpr std::array kRules{
    FindingRule{"amplification-exceeded", kProblem,
                "Before the client's address is validated a server sends at most three times the "
                "UDP payload that it received.",
                "RFC 9000 section 8.1"},
    FindingRule{"initial-crypto-not-resent", kProblem,
                "Lost CRYPTO data is sent again; Initial packets that only acknowledge do not "
                "carry the handshake on.",
                "RFC 9000 section 13.3, RFC 9002 section 6.2.4"},
    FindingRule{"handshake-unfinished", kProblem,
                "A handshake whose packets arrive ends with both ends' Finished.",
                "RFC 8446 section 4.4.4"},
    FindingRule{"handshake-cut-off", kCostly,
                "A handshake does not end while a part of it is missing; both ends send theirs "
                "again until it has arrived.",
                "RFC 9002 section 6.2, RFC 6298"},
    FindingRule{"spurious-retry", kCostly,
                "A Retry validates an address; it is no answer to a ClientHello whose first part "
                "is late or lost.",
                "RFC 9000 section 8.1.2"},
    FindingRule{"retry", kNote, "A Retry costs one round trip.", "RFC 9000 section 8.1.2"},
    FindingRule{"version-negotiation", kNote, "Version Negotiation costs one round trip.",
                "RFC 9000 section 6"},
    FindingRule{"hello-retry-request", kNote,
                "A HelloRetryRequest costs one round trip: no key share was of a group that the "
                "server takes.",
                "RFC 8446 section 4.1.4"},
    FindingRule{"amplification-stall", kCostly,
                "A server that has spent three times the UDP payload it received waits until the "
                "client's address is validated: one round trip.",
                "RFC 9000 section 8.1"},
    FindingRule{"client-hello-split", kNote,
                "A ClientHello larger than a datagram takes several; the server can answer only "
                "when it has all.",
                "RFC 9001 section 4.3"},
    FindingRule{"server-hello-split", kNote,
                "A ServerHello that spans datagrams keeps what follows from being decrypted until "
                "all of it has arrived.",
                "RFC 9001 section 5.7"},
    FindingRule{"syn-rto", kCostly, "A lost SYN or SYN-ACK is repeated after a second.",
                "RFC 6298 section 2.1"},
    FindingRule{"tcp-rto", kCostly,
                "Data whose acknowledgement stays out is repeated after the retransmission "
                "timeout, at least 200 ms in Linux.",
                "RFC 6298"},
    FindingRule{"tcp-tlp", kCostly,
                "A tail loss probe after two round trips makes the receiver tell what is missing.",
                "RFC 8985 section 7"},
    FindingRule{"quic-pto", kCostly,
                "A probe timeout has passed without acknowledgement: three times the initial "
                "estimate before there is a sample, afterwards the smoothed round trip and four "
                "variations.",
                "RFC 9002 section 6.2"},
    FindingRule{"pto-probe-lost", kCostly, "A lost probe doubles the time until the next.",
                "RFC 9002 section 6.2.1"},
    FindingRule{"head-of-line-wait", kCostly,
                "Bytes of a stream that have arrived wait for those before them.",
                "RFC 9000 section 2.2, RFC 9293 section 3.4"},
    FindingRule{"duplicate-answer", kNote, "An answer arrived more than once.", "RFC 768"},
    FindingRule{"late-answer", kCostly, "An answer arrived after the client had given up.",
                "RFC 1035 section 4.2.1"},
    FindingRule{"pmtu-probe", kNote,
                "Path MTU probes are larger than what the path is known to carry; they take "
                "bandwidth beside the query.",
                "RFC 9000 section 14.4, RFC 8899"},
    FindingRule{"early-data-missing", kProblem,
                "Early data that a client announces is on the wire as 0-RTT packets or records.",
                "RFC 9001 section 4.6, RFC 8446 section 4.2.10"},
    FindingRule{"unpadded-query", kNote,
                "Encrypted queries are padded to multiples of 128 bytes, or their packets with "
                "QUIC PADDING.",
                "RFC 8467 section 4.1, RFC 9250 section 5.4"},
    FindingRule{"unpadded-answer", kNote,
                "Answers to padded queries are padded to multiples of 468 bytes.",
                "RFC 8467 section 4.1, RFC 7830 section 4"},
};

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case kNote:
      return "note";
    case kCostly:
      return "costly";
    case kProblem:
      break;
  }
  return "problem";
}

std::span<const FindingRule> finding_rules() {
  return kRules;
}

const FindingRule& finding_rule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &FindingRule::id);
  if (found == kRules.end()) throw base::LabError(std::format("there is no finding \"{}\"", id));
  return *found;
}

std::vector<Finding> find_all(const Exchange& exchange, std::span<const Cause> causes,
                              const FindingContext& context) {
  std::vector<Finding> findings;
  const Inspection inspection{.exchange = exchange, .causes = causes, .context = context};
  for (const auto detect : {find_address_validation, find_handshake, find_repairs, find_answers})
    detect(inspection, findings);
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return &finding_rule(finding.id) - kRules.data();
  });
  return findings;
}

}  // namespace analysis
