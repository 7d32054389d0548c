#pragma once

// What scripted servers say: answers to the lab's question, right and wrong, over each protocol.

#include "tests/clients/scripted_server.hh"
#include "transport/bytes.hh"
#include "transport/dns_message.hh"
#include "transport/http_message.hh"
#include "transport/quic_listener.hh"
#include "transport/tls_context.hh"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace clients {

// Changes a right answer into what the test wants.
using Spoil = std::function<void(transport::DnsMessage& answer)>;

// The answer "a.lab.test 60 A 192.0.2.1" to a query, in wire form.
transport::Bytes answer_to(transport::ByteSpan query, const Spoil& spoil = {});

// Turns the query's bytes as they come from a stream (with prefix) into what the server puts there.
using StreamScript = std::function<transport::Bytes(transport::ByteSpan query)>;
// The right thing to do.
transport::Bytes framed_answer(transport::ByteSpan query);

// Do53/TCP.
std::unique_ptr<Conversation> make_framed_conversation(StreamScript script);
// DoT; `context` is a server's and outlives the conversation.
std::unique_ptr<Conversation> make_dot_conversation(const transport::TlsContext& context,
                                                    StreamScript script);

using HttpScript = std::function<transport::HttpResponse(const transport::HttpRequest& request)>;
// 200 with the right answer.
transport::HttpResponse dns_response(const transport::HttpRequest& request);
std::unique_ptr<Conversation> make_doh2_conversation(const transport::TlsContext& context,
                                                     HttpScript script);
std::unique_ptr<transport::QuicSession> make_doh3_session(HttpScript script);

// What a DoQ server does with the query's stream.
struct DoqReply {
  transport::Bytes bytes{};  // put on the stream
  bool fin = true;
  std::optional<std::uint64_t> reset{};  // RESET_STREAM with this code instead
};
using DoqScript = std::function<DoqReply(transport::ByteSpan query)>;
std::unique_ptr<transport::QuicSession> make_doq_session(DoqScript script);

}  // namespace clients
