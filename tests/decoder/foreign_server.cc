#include "tests/decoder/foreign_server.hh"

#include "base/file_descriptor.hh"
#include "endpoints/certificate_chain.hh"
#include "tests/decoder/private_network.hh"
#include "transport/dns_message.hh"
#include "transport/dns_text.hh"

#include <string_view>

namespace decoder {
namespace {

// Flights of several packets: more than one datagram of certificates, less than what a server may
// send to an address that it has not validated (RFC 9000, section 8.1).
constexpr std::size_t kChainBytes = 3000;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
}

// Writes a configuration with the folder's name in place of @FOLDER@ and the server's address in
// place of @ADDRESS@.
std::string write_configuration(const std::filesystem::path& folder, const std::string& name,
                                std::string text) {
  replace_all(text, "@FOLDER@", folder.string());
  replace_all(text, "@ADDRESS@", kServerAddress);
  const std::filesystem::path file = folder / name;
  base::write_file_atomically(file, text);
  return file;
}

constexpr const char* kNginx = R"(
daemon off;
master_process off;
# Where it is root of a user namespace, there is nobody else.
user root root;
pid @FOLDER@/run/nginx.pid;
error_log stderr notice;
events { worker_connections 256; }
http {
  access_log off;
  http2 on;
  http3 on;
  client_body_temp_path @FOLDER@/run/body;
  proxy_temp_path @FOLDER@/run/proxy;
  fastcgi_temp_path @FOLDER@/run/fastcgi;
  uwsgi_temp_path @FOLDER@/run/uwsgi;
  scgi_temp_path @FOLDER@/run/scgi;
  ssl_certificate @FOLDER@/cert.pem;
  ssl_certificate_key @FOLDER@/key.pem;
  default_type application/dns-message;
  server {
    listen @ADDRESS@:443 ssl;
    listen @ADDRESS@:443 quic;
    location = /dns-query { alias @FOLDER@/answer.dns; }
  }
  server {
    listen @ADDRESS@:444 quic;
    quic_retry on;
    location = /dns-query { alias @FOLDER@/answer.dns; }
  }
}
)";

constexpr const char* kCaddy = R"({
	admin off
	auto_https off
	skip_install_trust
	persist_config off
	grace_period 1s
	storage file_system @FOLDER@/run
	default_sni dns.lab.test
	servers {
		protocols h1 h2 h3
	}
}
https://:443 {
	bind @ADDRESS@
	tls @FOLDER@/cert.pem @FOLDER@/key.pem
	header >Content-Type application/dns-message
	root * @FOLDER@
	rewrite /dns-query /answer.dns
	file_server
}
)";

constexpr const char* kKnot = R"(
server:
    rundir: @FOLDER@/run
    listen: @ADDRESS@@53
    listen-tls: @ADDRESS@@853
    listen-quic: @ADDRESS@@853
    cert-file: @FOLDER@/cert.pem
    key-file: @FOLDER@/key.pem
log:
  - target: stderr
    any: info
database:
    storage: @FOLDER@/run
zone:
  - domain: lab.test
    storage: @FOLDER@
    file: lab.test.zone
    zonefile-sync: -1
    journal-content: none
)";

constexpr const char* kZone = R"($ORIGIN lab.test.
$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
ns A 192.0.2.2
a A 192.0.2.1
)";

}  // namespace

void prepare_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder / "run");
  const endpoints::CertificateChain chain =
      endpoints::make_chain({.server_name = kServerName, .chain_bytes = kChainBytes});
  base::write_file_atomically(folder / "cert.pem", chain.certificates_pem);
  base::write_file_atomically(folder / "key.pem", chain.private_key_pem);
  base::write_file_atomically(folder / "ca.pem", chain.anchor_pem);
  base::write_file_atomically(folder / "lab.test.zone", kZone);
  // DoH queries have the ID 0 (RFC 8484, section 4.1), so one answer fits them all.
  transport::DnsMessage answer = transport::make_response(
      transport::make_query(0, {.name = kQuestion}), transport::Rcode::kNoError);
  answer.answers.push_back(transport::parse_record("a.lab.test 60 A 192.0.2.1").value());
  base::write_file_atomically(
      folder / "answer.dns",
      base::as_text(transport::encode_dns_message(answer, transport::kResponsePaddingBlock)));
}

std::vector<std::string> nginx(const std::filesystem::path& folder) {
  const std::string file = write_configuration(folder, "nginx.conf", kNginx);
  return {"/usr/sbin/nginx", "-p", folder, "-c", file, "-e", "stderr"};
}

std::vector<std::string> caddy(const std::filesystem::path& folder) {
  const std::string file = write_configuration(folder, "Caddyfile", kCaddy);
  // Debian builds it with Go's ML-KEM off by default.
  return {"/usr/bin/env", "GODEBUG=tlsmlkem=1", "/usr/bin/caddy", "run",
          "--adapter",    "caddyfile",          "--config",       file};
}

std::vector<std::string> knot(const std::filesystem::path& folder) {
  return {"/usr/sbin/knotd", "-c", write_configuration(folder, "knot.conf", kKnot)};
}

}  // namespace decoder
