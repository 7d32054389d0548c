#include "captures/query_record.hh"

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <format>
#include <utility>

namespace captures {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Outcome, std::string_view>, 3> kOutcomes{
    {{Outcome::kAnswered, "answered"},
     {Outcome::kNoAnswer, "no_answer"},
     {Outcome::kFailed, "failed"}}};

Json value_or_null(const std::optional<base::Nanoseconds>& duration) {
  return duration ? Json(duration->count()) : Json(nullptr);
}

template <typename Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Phases& phases) {
  return {{"connect", value_or_null(phases.connect)},
          {"handshake", value_or_null(phases.handshake)},
          {"sent", value_or_null(phases.sent)},
          {"first_byte", value_or_null(phases.first_byte)},
          {"answer", value_or_null(phases.answer)}};
}

Json to_json(const Flow& flow) {
  return {{"protocol", flow.protocol},
          {"local_address", flow.local_address},
          {"local_port", flow.local_port},
          {"remote_address", flow.remote_address},
          {"remote_port", flow.remote_port}};
}

Json to_json(const ClientSettings& settings) {
  return {{"connection", settings.connection},
          {"initial_rtt_ns", value_or_null(settings.initial_rtt)},
          {"max_udp_payload", value_or_null(settings.max_udp_payload)},
          {"pmtud", value_or_null(settings.pmtud)},
          {"padding", settings.padding},
          {"groups", settings.groups}};
}

Json to_json(const std::optional<Preparation>& before) {
  if (!before) return nullptr;
  return {{"client_packets", before->client_packets}, {"server_packets", before->server_packets}};
}

Json to_json(const std::optional<TlsFacts>& tls) {
  if (!tls) return nullptr;
  return {{"version", tls->version}, {"cipher", tls->cipher}, {"alpn", tls->alpn}};
}

Json to_json(const std::optional<AnswerFacts>& answer) {
  if (!answer) return nullptr;
  return {{"bytes", answer->bytes}, {"records", answer->records}};
}

Json to_json(const SentCount& count) {
  return {{"packets", count.packets}, {"bytes", count.bytes}};
}

Json to_json(const std::optional<WireCounts>& wire) {
  if (!wire) return nullptr;
  return {{"client", to_json(wire->client)}, {"server", to_json(wire->server)}};
}

Json to_json(const LostPacket& lost) {
  return {{"from", lost.from}, {"ordinal", lost.ordinal}, {"by", lost.by}};
}

Json to_json(const SumPart& part) {
  Json json{{"what", part.what}, {"ns", part.time.count()}};
  if (!part.at.empty()) json["at"] = part.at;
  if (!part.note.empty()) json["note"] = part.note;
  return json;
}

template <typename Element>
Json to_json(const std::vector<Element>& elements) {
  Json array = Json::array();
  for (const Element& element : elements) array.push_back(to_json(element));
  return array;
}

base::Seed read_seed(const JsonFields& fields) {
  const auto text = fields.require<std::string>("seed");
  base::Seed seed = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || rest != text.data() + text.size())
    fields.reject("seed", "not a decimal number below 2^64");
  return seed;
}

Outcome read_outcome(const JsonFields& fields) {
  const auto name = fields.require<std::string>("outcome");
  for (const auto& [outcome, known] : kOutcomes)
    if (name == known) return outcome;
  fields.reject("outcome", "neither answered, no_answer nor failed");
}

Phases read_phases(const JsonFields& fields) {
  using base::Nanoseconds;
  return {.connect = fields.find<Nanoseconds>("connect"),
          .handshake = fields.find<Nanoseconds>("handshake"),
          .sent = fields.find<Nanoseconds>("sent"),
          .first_byte = fields.find<Nanoseconds>("first_byte"),
          .answer = fields.find<Nanoseconds>("answer")};
}

Flow read_flow(const JsonFields& fields) {
  return {.protocol = fields.require<std::string>("protocol"),
          .local_address = fields.require<std::string>("local_address"),
          .local_port = fields.require<std::uint16_t>("local_port"),
          .remote_address = fields.require<std::string>("remote_address"),
          .remote_port = fields.require<std::uint16_t>("remote_port")};
}

ClientSettings read_settings(const JsonFields& fields) {
  return {.connection = fields.find<std::string>("connection").value_or("cold"),
          .initial_rtt = fields.find<base::Nanoseconds>("initial_rtt_ns"),
          .max_udp_payload = fields.find<std::uint64_t>("max_udp_payload"),
          .pmtud = fields.find<bool>("pmtud"),
          .padding = fields.require<std::string>("padding"),
          .groups = fields.require<std::vector<std::string>>("groups")};
}

SentCount read_sent_count(const JsonFields& fields, std::string_view key) {
  const auto count = fields.find_object(key);
  if (!count) fields.reject(key, "missing");
  return {.packets = count->require<std::uint64_t>("packets"),
          .bytes = count->require<std::uint64_t>("bytes")};
}

void read_connection(const JsonFields& fields, QueryRecord& record) {
  record.group = fields.find<std::string>("group");
  record.retries = fields.require<std::uint64_t>("retries");
  if (const auto early = fields.find_object("early_data"))
    record.early_data = {.attempted = early->require<bool>("attempted"),
                         .accepted = early->require<bool>("accepted")};
  if (const auto tls = fields.find_object("tls"))
    record.tls = TlsFacts{.version = tls->require<std::string>("version"),
                          .cipher = tls->require<std::string>("cipher"),
                          .alpn = tls->require<std::string>("alpn")};
  record.http_status = fields.find<std::uint16_t>("http_status");
  if (const auto answer = fields.find_object("answer"))
    record.answer = AnswerFacts{.bytes = answer->require<std::uint64_t>("bytes"),
                                .records = answer->require<std::vector<std::string>>("records")};
  record.ignored_datagrams = fields.find<std::uint64_t>("ignored_datagrams").value_or(0);
  for (const JsonFields& flow : fields.objects("flows")) record.flows.push_back(read_flow(flow));
  if (const auto before = fields.find_object("preparation"))
    record.preparation =
        Preparation{.client_packets = before->require<std::uint64_t>("client_packets"),
                    .server_packets = before->require<std::uint64_t>("server_packets")};
  if (const auto settings = fields.find_object("settings"))
    record.settings = read_settings(*settings);
  record.keylog = fields.find<std::string>("keylog").value_or("");
}

void read_wire(const JsonFields& fields, QueryRecord& record) {
  if (const auto wire = fields.find_object("wire"))
    record.wire = WireCounts{.client = read_sent_count(*wire, "client"),
                             .server = read_sent_count(*wire, "server")};
  for (const JsonFields& lost : fields.objects("lost"))
    record.lost.push_back({.from = lost.require<std::string>("from"),
                           .ordinal = lost.require<std::uint64_t>("ordinal"),
                           .by = lost.require<std::string>("by")});
}

void read_explanation(const JsonFields& fields, QueryRecord& record) {
  for (const JsonFields& part : fields.objects("sum"))
    record.sum.push_back({.what = part.require<std::string>("what"),
                          .time = part.require<base::Nanoseconds>("ns"),
                          .at = part.find<std::string>("at").value_or(""),
                          .note = part.find<std::string>("note").value_or("")});
  record.unexplained = fields.find<base::Nanoseconds>("unexplained_ns");
  record.explanation = fields.find<std::string>("explanation").value_or("");
  record.findings =
      fields.find<std::vector<std::string>>("findings").value_or(std::vector<std::string>());
}

QueryRecord read_record(const JsonFields& fields) {
  QueryRecord record;
  record.id = fields.require<std::string>("id");
  record.cell = fields.require<std::string>("cell");
  record.transport = fields.require<std::string>("transport");
  record.block = fields.require<std::uint64_t>("block");
  record.index = fields.require<std::uint64_t>("index");
  record.seed = read_seed(fields);
  record.start = base::Instant(fields.require<base::Nanoseconds>("start_ns"));
  record.outcome = read_outcome(fields);
  record.time = fields.find<base::Nanoseconds>("time_ns");
  if (record.time.has_value() != (record.outcome == Outcome::kAnswered))
    fields.reject("time_ns", "must be there if and only if the outcome is answered");
  record.own_time = fields.find<base::Nanoseconds>("own_time_ns");
  if (const auto client = fields.find_object("client")) record.client = read_client_facts(*client);
  if (const auto phases = fields.find_object("phases_ns")) record.phases = read_phases(*phases);
  record.error = fields.find<std::string>("error");
  record.rcode = fields.find<std::string>("rcode");
  record.fallback = fields.find<std::string>("fallback");
  read_connection(fields, record);
  read_wire(fields, record);
  read_explanation(fields, record);
  return record;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [known, name] : kOutcomes)
    if (outcome == known) return name;
  return "";
}

std::string to_json_line(const QueryRecord& record, Keylog keylog) {
  Json line{
      {"id", record.id},
      {"cell", record.cell},
      {"transport", record.transport},
      {"block", record.block},
      {"index", record.index},
      {"seed", std::to_string(record.seed)},
      {"start_ns", record.start.time_since_epoch().count()},
      {"outcome", to_string(record.outcome)},
      {"time_ns", value_or_null(record.time)},
      {"own_time_ns", value_or_null(record.own_time)},
      {"client", record.client ? to_json(*record.client) : Json(nullptr)},
      {"phases_ns", to_json(record.phases)},
      {"error", value_or_null(record.error)},
      {"rcode", value_or_null(record.rcode)},
      {"fallback", value_or_null(record.fallback)},
      {"group", value_or_null(record.group)},
      {"retries", record.retries},
      {"early_data",
       {{"attempted", record.early_data.attempted}, {"accepted", record.early_data.accepted}}},
      {"tls", to_json(record.tls)},
      {"http_status", value_or_null(record.http_status)},
      {"answer", to_json(record.answer)},
      {"ignored_datagrams", record.ignored_datagrams},
      {"flows", to_json(record.flows)},
      {"preparation", to_json(record.preparation)},
      {"settings", to_json(record.settings)},
      {"wire", to_json(record.wire)},
      {"lost", to_json(record.lost)},
      {"sum", to_json(record.sum)},
      {"unexplained_ns", value_or_null(record.unexplained)},
      {"explanation", record.explanation},
      {"findings", record.findings}};
  if (keylog == Keylog::kInclude) line["keylog"] = record.keylog;
  // Text from the wire may not be UTF-8: replaced rather than thrown.
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::expected<QueryRecord, std::string> parse_query_record(std::string_view line) {
  if (line.size() > kMaxRecordLineBytes)
    return std::unexpected(std::format("longer than {} bytes", kMaxRecordLineBytes));
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::unexpected("not JSON");
  try {
    return read_record(JsonFields(json, ""));
  } catch (const MalformedJson& error) {
    return std::unexpected(error.what());
  }
}

}  // namespace captures
