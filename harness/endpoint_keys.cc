#include "endpoints/real_server.hh"
#include "harness/scenario_assignments.hh"
#include "harness/scenario_keys.hh"
#include "harness/spelling.hh"
#include "harness/zone_record.hh"

#include <array>
#include <utility>

namespace harness {
namespace {

template <typename Value, std::size_t kCount>
using Names = std::array<std::pair<std::string_view, Value>, kCount>;

void read_server(const RawNode& node, ValueReader& reader, Draft& draft) {
  const auto name = reader.text(node);
  if (!name) return;
  if (*name != kLabServer && endpoints::find_real_server(*name) == nullptr)
    return reader.reject(node);
  // A scenario is data, which comes from anybody: it names no program.
  if (endpoints::parse_server_name(*name).has_own_root() && node.where.file != kCommandLinePlace)
    return reader.reject(node, "a path is for the command line only: --set endpoint.server=...");
  // The release that is meant without one.
  const endpoints::ServerName parts = endpoints::parse_server_name(*name);
  draft.settings.endpoint.server = parts.release == endpoints::kStable ? parts.program : *name;
}

std::string server_names() {
  std::vector<std::string_view> names{kLabServer};
  for (const endpoints::RealServer& server : endpoints::real_servers())
    names.push_back(server.name);
  return join_alternatives(names) + "; all but labdns also with @testing";
}

void read_certificate_key(const RawNode& node, ValueReader& reader, Draft& draft) {
  static constexpr Names<std::string_view, 5> kKeys{{{"ecdsa-p256", "ecdsa-p256"},
                                                     {"ecdsa-p384", "ecdsa-p384"},
                                                     {"rsa-2048", "rsa-2048"},
                                                     {"rsa-4096", "rsa-4096"},
                                                     {"ed25519", "ed25519"}}};
  std::string_view key = draft.settings.endpoint.key;
  reader.choice<std::string_view>(node, kKeys, key);
  draft.settings.endpoint.key = key;
}

void read_retry(const RawNode& node, ValueReader& reader, Draft& draft) {
  static constexpr Names<Retry, 2> kNames{{{"never", Retry::kNever}, {"always", Retry::kAlways}}};
  reader.choice<Retry>(node, kNames, draft.settings.endpoint.retry);
}

void read_early_data(const RawNode& node, ValueReader& reader, Draft& draft) {
  static constexpr Names<EarlyData, 3> kNames{
      {{"none", EarlyData::kNone}, {"accept", EarlyData::kAccept}, {"reject", EarlyData::kReject}}};
  reader.choice<EarlyData>(node, kNames, draft.settings.endpoint.early_data);
}

void read_zone(const RawNode& node, ValueReader& reader, Draft& draft) {
  std::vector<std::string>& zone = draft.settings.endpoint.zone;
  zone.clear();
  reader.each(node, [&](const RawNode& item) {
    const auto text = reader.text(item);
    if (!text) return;
    if (const auto problem = problem_of_zone_record(*text)) return reader.reject(item, *problem);
    zone.emplace_back(*text);
  });
}

void read_answer_bytes(const RawNode& node, ValueReader& reader, Draft& draft) {
  std::optional<base::ByteCount>& into = draft.settings.endpoint.answer_bytes;
  into.reset();
  if (node.kind == RawNode::Kind::kText && node.text == "natural") return;
  base::ByteCount bytes;
  // A header and the shortest question are 17 bytes (RFC 1035 section 4.1).
  reader.bytes(node, 17, 65535, bytes);
  into = bytes;
}

}  // namespace

std::vector<Key> endpoint_keys() {
  return {
      {.name = "endpoint.server",
       .fallback = "labdns",
       .allowed = server_names(),
       .read = read_server},
      {.name = "endpoint.certificate.chain_bytes",
       .fallback = "2000",
       .allowed = "bytes from 500 to 60kB: the sum of the certificates' DER sizes",
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             reader.bytes(node, 500, 60000, draft.settings.endpoint.chain_bytes);
           }},
      {.name = "endpoint.certificate.key",
       .fallback = "ecdsa-p256",
       .allowed = "ecdsa-p256, ecdsa-p384, rsa-2048, rsa-4096 or ed25519",
       .read = read_certificate_key},
      {.name = "endpoint.key_exchange",
       .fallback = "",
       .allowed = std::string(kGroupsAllowed),
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             read_key_exchange(node, reader, draft.settings.endpoint.key_exchange);
           }},
      {.name = "endpoint.tickets",
       .fallback = "0",
       .allowed = "session tickets after each full handshake, from 0 to 16",
       .read = [](const RawNode& node, ValueReader& reader,
                  Draft& draft) { reader.number(node, 0U, 16U, draft.settings.endpoint.tickets); }},
      {.name = "endpoint.early_data",
       .fallback = "none",
       .allowed = "none, accept or reject: what tickets allow, and what becomes of it",
       .read = read_early_data},
      {.name = "endpoint.retry",
       .fallback = "never",
       .allowed = "never or always",
       .read = read_retry},
      {.name = "endpoint.zone",
       .fallback = "[a.lab.test 60 A 192.0.2.1]",
       .allowed = "a list of records: name, TTL, type (A, AAAA, TXT, CNAME, NS or SOA) and data",
       .read = read_zone},
      {.name = "endpoint.answer_bytes",
       .fallback = "natural",
       .allowed = "the DNS message's size from 17 to 65535 bytes, or natural",
       .read = read_answer_bytes},
      {.name = "endpoint.padding",
       .fallback = "rfc8467",
       .allowed = "rfc8467 or none",
       .read = [](const RawNode& node, ValueReader& reader,
                  Draft& draft) { read_padding(node, reader, draft.settings.endpoint.padding); }},
      {.name = "endpoint.udp_limit",
       .fallback = "1232",
       .allowed = "bytes from 512 to 65535: longer answers over UDP are truncated",
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             reader.bytes(node, 512, 65535, draft.settings.endpoint.udp_limit);
           }},
  };
}

}  // namespace harness
