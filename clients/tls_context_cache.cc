#include "clients/tls_context_cache.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <format>

namespace clients {
namespace {

constexpr std::size_t kMaxTrustAnchorBytes = 4U << 20U;

std::string_view alpn_of(Transport transport) {
  switch (transport) {
    case Transport::kDot:
      return transport::kAlpnDot;
    case Transport::kDoh2:
      return transport::kAlpnHttp2;
    case Transport::kDoh3:
      return transport::kAlpnHttp3;
    case Transport::kDoq:
      return transport::kAlpnDoq;
    case Transport::kDo53:
    case Transport::kDo53Tcp:
      break;
  }
  return "";
}

transport::Verification verification_of(Trust trust) {
  switch (trust) {
    case Trust::kSystem:
      return transport::Verification::kSystem;
    case Trust::kFile:
      return transport::Verification::kAnchors;
    case Trust::kUnchecked:
      break;
  }
  return transport::Verification::kNone;
}

std::string key_of(const QuerySpec& spec) {
  std::string key = std::format("{} {} {} {}", to_string(spec.transport),
                                static_cast<int>(spec.trust), spec.allow_tls12, spec.ca_file);
  for (const std::string& group : spec.groups) key += '\n' + group;
  return key;
}

transport::TlsSettings settings_of(const QuerySpec& spec) {
  transport::TlsSettings settings;
  settings.role = transport::Role::kClient;
  settings.carrier = runs_over_quic(spec.transport) ? transport::TlsCarrier::kQuic
                                                    : transport::TlsCarrier::kStream;
  settings.groups = spec.groups;
  settings.alpn = {std::string(alpn_of(spec.transport))};
  settings.verification = verification_of(spec.trust);
  if (spec.trust == Trust::kFile)
    settings.trust_anchors_pem = base::read_file(spec.ca_file, kMaxTrustAnchorBytes);
  settings.allow_tls12 = spec.allow_tls12 && !runs_over_quic(spec.transport);
  return settings;
}

}  // namespace

const transport::TlsContext* TlsContextCache::find(const QuerySpec& spec) {
  if (!is_encrypted(spec.transport)) return nullptr;
  std::unique_ptr<transport::TlsContext>& context = contexts_[key_of(spec)];
  if (!context) {
    transport::TlsSettings settings = settings_of(spec);
    settings.keylog = keylog_;
    settings.ticket = tickets_;
    context = std::make_unique<transport::TlsContext>(std::move(settings));
  }
  return context.get();
}

}  // namespace clients
