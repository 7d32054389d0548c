#include "base/text.hh"
#include "endpoints/server_text.hh"

#include <format>

namespace endpoints {
namespace {

std::string tls_settings(const ServerSpec& spec, const ServerSite& site) {
  return std::format(
      "    ssl_certificate \"{}\"; ssl_certificate_key \"{}\";\n"
      "    ssl_protocols TLSv1.3; ssl_ecdh_curve {}; ssl_session_tickets {};\n",
      site.certificates.string(), site.private_key.string(), base::joined(spec.groups, ":"),
      spec.session_tickets > 0 ? "on" : "off");
}

std::string http_server(const ServerSpec& spec, const ServerSite& site) {
  const auto doh2 = port_of(spec, Protocol::kDoh2);
  const auto doh3 = port_of(spec, Protocol::kDoh3);
  // Its TCP port tells when it is ready, so it is open also where only HTTP/3 is asked for.
  const std::uint16_t tcp = doh2 ? *doh2 : *doh3;
  std::string text = std::format("  server {{\n{}", tls_settings(spec, site));
  for (const std::string& address : spec.addresses) {
    text += std::format("    listen {} ssl;\n", socket_text(address, tcp));
    if (doh3) text += std::format("    listen {} quic;\n", socket_text(address, *doh3));
  }
  if (spec.retry == transport::RetryPolicy::kAlways) text += "    quic_retry on;\n";
  if (spec.early_data == transport::EarlyData::kAccept) text += "    ssl_early_data on;\n";
  return text + std::format("    location = {} {{ grpc_pass grpc://{}:{}; }}\n  }}\n",
                            spec.doh_path, site.backend_address, kBackendHttpPort);
}

std::string stream_server(const ServerSpec& spec, const ServerSite& site, std::uint16_t port) {
  std::string text =
      std::format("stream {{\n  server {{\n{}    ssl_alpn dot;\n", tls_settings(spec, site));
  for (const std::string& address : spec.addresses)
    text += std::format("    listen {} ssl;\n", socket_text(address, port));
  return text +
         std::format("    proxy_pass {}:{};\n  }}\n}}\n", site.backend_address, kBackendDnsPort);
}

}  // namespace

std::vector<ServerProgram> nginx_programs(const ServerSpec& spec, const ServerSite& site) {
  const auto dot = port_of(spec, Protocol::kDot);
  const bool http = port_of(spec, Protocol::kDoh2) || port_of(spec, Protocol::kDoh3);
  const std::string folder = site.folder.string();
  std::string text = std::format(
      "daemon off; master_process off; worker_processes 1;\n"
      "pid \"{}/nginx.pid\"; error_log stderr info;\n"
      "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n"
      "events {{ worker_connections 512; }}\n",
      folder);
  if (http) {
    text += "http {\n  access_log off; http2 on; http3 on;\n";
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
      text += std::format("  {}_temp_path \"{}/{}\";\n", kind, folder, kind);
    text += http_server(spec, site) + "}\n";
  }
  if (dot) text += stream_server(spec, site, *dot);
  const auto doh2 = port_of(spec, Protocol::kDoh2);
  const auto doh3 = port_of(spec, Protocol::kDoh3);
  ServerProgram nginx{
      .name = "nginx",
      .argv = {"/usr/sbin/nginx", "-e", "stderr", "-c", (site.folder / "nginx.conf").string()},
      .environment = plain_environment(site),
      .files = {{"nginx.conf", std::move(text)}},
      .probe_port = doh2   ? doh2
                    : doh3 ? doh3
                           : dot};
  return {backend_program(spec, site), std::move(nginx)};
}

}  // namespace endpoints
