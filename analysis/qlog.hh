#pragma once

// What one end of a query's QUIC connections sent and received, as a qlog trace that viewers of
// such logs read (draft-ietf-quic-qlog-main-schema, qlog 0.4, as JSON Text Sequences, RFC 7464).

#include "analysis/end.hh"
#include "analysis/exchange.hh"

#include <string>

namespace analysis {

struct QlogTitle {
  std::string query;        // "doq:17 of loss2pct"
  std::string description;  // more words, if any
};

// The text of an .sqlog file; empty where nothing of the exchange is QUIC. It is made from
// captures: a packet that arrived is one that the end received, and what the end made of it, such
// as calling another one lost, is not there. Time counts from the first QUIC packet that any end
// sent, so that the traces of both ends fit together. Packets of one connection have the same
// `group_id`.
std::string qlog_of(const Exchange& exchange, End vantage, const QlogTitle& title);

}  // namespace analysis
