#pragma once

// A TLS 1.3 conversation of our own transport, turn by turn, with the keys of the connection.

#include "analysis/end.hh"
#include "tests/transport/identity.hh"
#include "transport/tls_stream.hh"

#include <openssl/ssl.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace analysis {

struct Turn {
  End from = End::kClient;
  transport::Bytes bytes;
};

struct TlsTalk {
  std::vector<Turn> turns;
  std::string keylog;
};

struct TlsTalkSettings {
  std::string_view group = "X25519";  // another one makes the server ask for X25519 instead
  std::size_t certificate_bytes = 0;
  transport::Bytes question;
  transport::Bytes answer;
  // The talk is a resumed one, and the question is early data.
  bool early = false;
  const char* cipher = nullptr;  // OpenSSL's name of the only one
};

// A connection of which the client keeps the ticket.
inline void make_session(const transport::TlsContext& server_context,
                         const transport::TlsContext& client_context) {
  transport::TlsStream server(server_context, "");
  transport::TlsStream client(client_context, transport::kServerName);
  for (int turn = 0; turn < 4; ++turn) {
    server.receive(client.take_output());
    client.receive(server.take_output());
  }
}

// A handshake, the question with the client's Finished, a session ticket, the answer, and
// close_notify of the client.
inline TlsTalk tls_talk(const TlsTalkSettings& settings) {
  using namespace transport;
  TlsTalk talk;
  const Identity identity = make_identity(settings.certificate_bytes);
  TlsSettings server_settings = server_tls(identity, TlsCarrier::kStream, kAlpnDot);
  server_settings.groups = {"X25519"};
  server_settings.session_tickets = 1;
  TlsSettings client_settings = client_tls(identity, TlsCarrier::kStream, kAlpnDot, settings.group);
  if (settings.group != "X25519") client_settings.groups.emplace_back("X25519");
  if (settings.early) server_settings.early_data = EarlyData::kAccept;
  Bytes session;
  client_settings.ticket = [&](ByteSpan encoded) {
    session.assign(encoded.begin(), encoded.end());
  };
  client_settings.keylog = [&](std::string_view line) { talk.keylog += std::string(line) + '\n'; };
  const TlsContext server_context(server_settings);
  const TlsContext client_context(client_settings);
  if (settings.cipher != nullptr)
    SSL_CTX_set_ciphersuites(server_context.native(), settings.cipher);
  if (settings.early) make_session(server_context, client_context);
  talk.keylog.clear();
  const Bytes resumed = settings.early ? std::exchange(session, {}) : Bytes();
  TlsStream server(server_context, "");
  TlsStream client(client_context, kServerName, resumed,
                   settings.early ? TlsStream::Early::kYes : TlsStream::Early::kNo);
  const auto carry = [&](End from) {
    const Bytes bytes = (from == End::kClient ? client : server).take_output();
    (from == End::kClient ? server : client).receive(bytes);
    if (!bytes.empty()) talk.turns.push_back({from, bytes});
    return !bytes.empty();
  };
  client.write(settings.question);
  while (carry(End::kClient) || carry(End::kServer)) {
  }
  server.write(settings.answer);
  carry(End::kServer);
  client.close();
  carry(End::kClient);
  return talk;
}

}  // namespace analysis
