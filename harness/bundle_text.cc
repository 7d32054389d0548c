#include "harness/bundle_text.hh"

#include "base/errors.hh"
#include "harness/bundle_words.hh"

#include <array>
#include <format>

namespace harness {
namespace {

constexpr std::array<std::string_view, 4> kFormats{"generic", "nginx", "knot", "ngtcp2"};

constexpr std::string_view kFiles =
    "| file | what |\n"
    "|---|---|\n"
    "| `captures/` | the packets of the queries, one pcapng per end and block, TLS keys embedded: "
    "Wireshark and tshark show them decrypted |\n"
    "| `queries/` | each query packet by packet, with what was waited for |\n"
    "| `fates.jsonl` | each packet, and what became of it |\n"
    "| `qlog/` | the QUIC connections as qlog, made from the captures |\n"
    "| `queries.jsonl`, `plan.json`, `scenario.yaml`, `manifest.json` | records, everything that "
    "was decided beforehand, the scenario, what the run was made of |\n"
    "| `servers/`, `logs/` | the server's configuration, its own version text, its log |\n"
    "| `run/` | the whole run's figures, findings, and what each of its queries came to |\n"
    "| `reproduce.yaml`, `reproduce.sh` | the first query again, alone |\n"
    "| `SHA256SUMS` | of all files |\n"
    "\n"
    "This folder is a run directory: `labrun explain . QUERY` works in it. `labrun bundle verify` "
    "on "
    "the archive checks the sums, analyses the packets again and counts the outcomes again. "
    "Packets "
    "are numbered from 1 as in the captures here.\n"
    "\n"
    "Keys and certificates in it were made by labrun for this run and open nothing else. Addresses "
    "are documentation addresses (RFC 5737, RFC 3849) inside a network of kernel namespaces.\n";

std::string section(std::string_view title, const std::string& text) {
  return std::format("## {}\n\n{}\n", title, text);
}

std::string other_queries(const BundleSubject& subject) {
  std::string text;
  for (std::size_t index = 1; index < subject.queries.size(); ++index) {
    const captures::QueryRecord& record = subject.queries[index].record;
    text += std::format("- `queries/{}.txt`: `{}`: {}\n", index + 1, record.id, record.explanation);
  }
  return text;
}

std::string configuration_of(const BundleSubject& subject) {
  return subject.configuration.empty() ? "The server is labdns, labrun's own.\n"
                                       : fenced(subject.configuration);
}

std::string log_of(const BundleSubject& subject) {
  return subject.log.empty() ? "The server said nothing.\n" : fenced(subject.log);
}

std::string more(const BundleSubject& subject) {
  return table(subject) + "\n" + controls(subject) + "\n" + ladder(subject) +
         "\nThe attached archive has the packets of both ends with keys, qlog, records, the "
         "server's configuration and log, and a README.\n";
}

// GitHub's form of nginx/nginx asks for these.
std::string nginx_report(const BundleSubject& subject) {
  return section("Bug Overview", overview(subject)) +
         section("Expected Behavior", expected(subject)) +
         section("Steps to Reproduce the Bug", steps(subject)) +
         section("NGINX Configuration", configuration_of(subject)) +
         section("Environment Details", environment(subject)) +
         section("NGINX Debug Log", log_of(subject)) + section("Additional Context", more(subject));
}

std::string knot_report(const BundleSubject& subject) {
  return section("Summary", overview(subject)) + section("Version", environment(subject)) +
         section("Configuration", configuration_of(subject)) +
         section("Steps to reproduce", steps(subject)) +
         section("What is expected", expected(subject)) + section("Log", log_of(subject)) +
         section("Measurements", more(subject));
}

// No form; client side first, because the library is at both ends.
std::string ngtcp2_report(const BundleSubject& subject) {
  return overview(subject) + "\n" + expected(subject) + "\n" + section("Packets", ladder(subject)) +
         section("How often", table(subject)) + section("Controls", controls(subject)) +
         section("To reproduce", steps(subject)) + section("Versions", environment(subject));
}

}  // namespace

std::span<const std::string_view> report_formats() {
  return kFormats;
}

std::string readme_text(const BundleSubject& subject) {
  std::string text = std::format("# {}\n\n{}\n", headline(subject), overview(subject));
  text += section("What is expected", expected(subject));
  text += section("How often", table(subject));
  text += section("Controls", controls(subject));
  text += section("To reproduce", steps(subject));
  text += section("The packets", ladder(subject));
  if (subject.queries.size() > 1) text += section("Other queries", other_queries(subject));
  text += section("Environment", environment(subject));
  return text + section("Files", std::string(kFiles));
}

std::string report_text(const BundleSubject& subject, std::string_view format) {
  const std::string title = std::format("# {}\n\n", headline(subject));
  if (format == "nginx") return title + nginx_report(subject);
  if (format == "knot") return title + knot_report(subject);
  if (format == "ngtcp2") return title + ngtcp2_report(subject);
  LABRUN_ASSERT(false);
  return {};
}

}  // namespace harness
