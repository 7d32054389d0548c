#include "endpoints/ready_line.hh"

#include "base/version.hh"

#include <nghttp2/nghttp2.h>
#include <nghttp3/nghttp3.h>
#include <ngtcp2/ngtcp2.h>
#include <openssl/crypto.h>

#include <format>
#include <numeric>
#include <string_view>

namespace endpoints {
namespace {

std::string joined(const std::string& left, const std::string& right) {
  return left.empty() ? right : left + "," + right;
}

// Of the libraries that this process runs with, not of those it was compiled with.
std::string versions() {
  return std::format(
      R"({{"labdns":"{}","openssl":"{}","ngtcp2":"{}","nghttp3":"{}","nghttp2":"{}"}})",
      base::kVersion, OpenSSL_version(OPENSSL_VERSION_STRING), ngtcp2_version(0)->version_str,
      nghttp3_version(0)->version_str, nghttp2_version(0)->version_str);
}

std::string listeners(const ServerSpec& spec) {
  std::string text;
  for (const std::string& address : spec.addresses)
    for (const ProtocolSpec& listener : spec.listeners)
      text = joined(text, std::format(R"({{"protocol":"{}","address":"{}","port":{}}})",
                                      listener.name, address, listener.port));
  return text;
}

std::string sizes(const CertificateChain& chain) {
  std::string text;
  for (const std::size_t size : chain.der_sizes) text = joined(text, std::to_string(size));
  return text;
}

// A command that asks what this server can answer.
std::string suggestion(const ServerSpec& spec, const ProtocolSpec& listener) {
  const std::string& address = spec.addresses.front();
  const std::string host = address.contains(':') ? std::format("[{}]", address) : address;
  const std::string_view name = spec.records.front().name;
  const std::string security =
      spec.ca_file.empty()
          ? "--insecure"
          : std::format("--ca {} --name {}", spec.ca_file.string(), spec.chain.server_name);
  return std::format("labquery {}://{}:{} {} {}", listener.name, host, listener.port,
                     listener.protocol == Protocol::kDo53 ? "" : security, name);
}

}  // namespace

std::string ready_line(const ServerSpec& spec, const CertificateChain& chain) {
  return std::format(
      R"({{"ready":true,"chain_bytes":{},"certificates":[{}],"versions":{},"listeners":[{}]}})",
      chain.total_bytes(), sizes(chain), versions(), listeners(spec));
}

std::string greeting(const ServerSpec& spec, const CertificateChain& chain) {
  std::string text = std::format(
      "labdns {}: {} record{}, certificates of {} bytes ({})", base::kVersion, spec.records.size(),
      spec.records.size() == 1 ? "" : "s", chain.total_bytes(), sizes(chain));
  for (const std::string& address : spec.addresses)
    for (const ProtocolSpec& listener : spec.listeners)
      text += std::format("\n  {:<5} {} port {}", listener.name, address, listener.port);
  return text + "\ntry: " + suggestion(spec, spec.listeners.back());
}

}  // namespace endpoints
