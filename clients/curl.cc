#include "base/text.hh"
#include "clients/client_words.hh"
#include "clients/dns_query.hh"
#include "transport/base64url.hh"
#include "transport/http_message.hh"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <format>
#include <span>
#include <sstream>

namespace clients {
namespace {

using captures::Fault;

constexpr std::string_view kQueryFile = "query";

std::string as_text(const transport::Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string host_text(const SocketAddress& address) {
  const std::string text = address_text(address);
  return text.contains(':') ? std::format("[{}]", text) : text;
}

// Exit codes that tell what the network or the server did (curl(1), "Exit codes"): cannot connect,
// timeout, nothing came, sending or receiving failed, errors of HTTP/2 and HTTP/3 streams and of
// QUIC's handshake.
constexpr std::array kMet{7, 28, 52, 55, 56, 92, 95, 96};
// TLS failed at either end.
constexpr int kTlsFailed = 35;

void read_failure(const ClientTraces& traces, captures::QueryRecord& record) {
  const std::string_view first_line =
      std::string_view(traces.complaint).substr(0, traces.complaint.find('\n'));
  const int code = traces.status.code;
  const std::string words = first_line.empty()
                                ? std::format("curl said nothing and ended with exit code {}", code)
                                : std::string(first_line);
  if (code == kTlsFailed) {
    const bool met = contains_any(words, {" alert ", "reset by peer", "unexpected eof"});
    return fail(record, met ? Fault::kServer : Fault::kUnknown, words);
  }
  fail(record, std::ranges::contains(kMet, code) ? Fault::kServer : Fault::kClient, words);
}

// What `--write-out` was told to write.
struct Report {
  int status = 0;
  std::string http_version;
  double seconds = 0;
  std::string content_type;
};
constexpr std::string_view kReportFormat =
    "%{http_code} %{http_version} %{time_total} %{content_type}";

Report read_report(const std::string& text) {
  Report report;
  std::istringstream words(text);
  words >> report.status >> report.http_version >> report.seconds >> report.content_type;
  return report;
}

void read_answer(const ClientTraces& traces, const QuerySpec& spec, const Report& report,
                 captures::QueryRecord& record) {
  constexpr int kOk = 200;
  const std::string_view wanted = spec.transport == Transport::kDoh3 ? "3" : "2";
  if (report.http_version != wanted)
    return fail(record, Fault::kServer,
                std::format("answered with HTTP/{}, not HTTP/{}", report.http_version, wanted));
  if (report.status != kOk)
    return fail(record, Fault::kServer, std::format("HTTP status {}", report.status));
  if (!transport::is_dns_media_type(report.content_type))
    return fail(
        record, Fault::kServer,
        std::format("content type '{}', not {}", report.content_type, transport::kDnsMediaType));
  const transport::Bytes wire(traces.answer.begin(), traces.answer.end());
  const auto answer = check_answer(make_dns_query(spec), wire);
  if (!answer) return fail(record, Fault::kServer, answer.error());
  record.outcome = captures::Outcome::kAnswered;
  record.rcode = answer->rcode;
  record.answer = answer->facts;
}

}  // namespace

ClientCommand curl_command(const QuerySpec& spec, const ClientSite& site) {
  const std::uint16_t port = port_of(spec.server);
  const std::string url = std::format("https://{}:{}{}", spec.server_name, port, spec.path);
  const transport::Bytes query = make_dns_query(spec).wire;
  ClientCommand curl{
      .argv = {"/usr/bin/curl",
               "-q",
               "--silent",
               "--show-error",
               spec.transport == Transport::kDoh3 ? "--http3-only" : "--http2",
               "--noproxy",
               "*",
               "--resolve",
               std::format("{}:{}:{}", spec.server_name, port, host_text(spec.server)),
               "--local-port",
               std::to_string(spec.local_port),
               "--cacert",
               spec.ca_file,
               "--curves",
               base::joined(spec.groups, ":"),
               "--max-time",
               std::format("{:.3f}", std::chrono::duration<double>(spec.timeout).count()),
               "--header",
               std::format("accept: {}", transport::kDnsMediaType),
               "--output",
               (site.folder / kAnswerFile).string(),
               "--write-out",
               std::string(kReportFormat)},
      .environment = plain_environment(site)};
  const auto add = [&](std::initializer_list<std::string> words) {
    curl.argv.insert(curl.argv.end(), words);
  };
  if (spec.method == HttpMethod::kGet) {
    add({url + "?dns=" + transport::base64url_encode(query)});
    return curl;
  }
  curl.files.push_back({std::string(kQueryFile), as_text(query)});
  add({"--header", std::format("content-type: {}", transport::kDnsMediaType), "--data-binary",
       "@" + (site.folder / kQueryFile).string(), url});
  return curl;
}

void read_curl(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record) {
  const Report report = read_report(traces.output);
  if (report.status > 0) record.http_status = static_cast<std::uint16_t>(report.status);
  if (!traces.status.succeeded()) return read_failure(traces, record);
  read_answer(traces, spec, report, record);
  if (record.outcome == captures::Outcome::kAnswered)
    record.own_time = base::Nanoseconds(std::llround(report.seconds * 1e9));
}

}  // namespace clients
