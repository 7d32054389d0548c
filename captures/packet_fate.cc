#include "captures/packet_fate.hh"

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace captures {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 5> kVerdicts{
    {{Verdict::kPass, "pass"},
     {Verdict::kDrop, "drop"},
     {Verdict::kDelay, "delay"},
     {Verdict::kDuplicate, "duplicate"},
     {Verdict::kReorder, "reorder"}}};

Verdict parse_verdict(const JsonFields& fields) {
  const auto word = fields.require<std::string>("verdict");
  const auto found =
      std::ranges::find(kVerdicts, word, &std::pair<Verdict, std::string_view>::second);
  if (found == kVerdicts.end()) fields.reject("verdict", "no known verdict");
  return found->first;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict)).second;
}

std::string to_json_line(const PacketFate& fate) {
  const nlohmann::ordered_json line{
      {"query", fate.query},
      {"from", fate.from},
      {"ordinal", fate.ordinal},
      {"bytes", fate.bytes},
      {"in_ns", fate.in.count()},
      {"out_ns", fate.out ? nlohmann::ordered_json(fate.out->count()) : nullptr},
      {"meaning", fate.meaning},
      {"verdict", to_string(fate.verdict)},
      {"reason", fate.reason}};
  return line.dump();
}

std::expected<PacketFate, std::string> parse_packet_fate(std::string_view line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) return std::unexpected("not JSON");
  try {
    const JsonFields fields(object, "");
    PacketFate fate{.query = fields.require<std::string>("query"),
                    .from = fields.require<std::string>("from"),
                    .ordinal = fields.require<std::uint64_t>("ordinal"),
                    .bytes = fields.require<std::uint64_t>("bytes"),
                    .in = fields.require<base::Nanoseconds>("in_ns"),
                    .out = fields.find<base::Nanoseconds>("out_ns"),
                    .meaning = fields.require<std::string>("meaning"),
                    .verdict = parse_verdict(fields),
                    .reason = fields.require<std::string>("reason")};
    if (fate.from != "client" && fate.from != "server")
      fields.reject("from", "neither client nor server");
    if (fate.ordinal == 0) fields.reject("ordinal", "below 1");
    return fate;
  } catch (const MalformedJson& malformed) {
    return std::unexpected(malformed.what());
  }
}

}  // namespace captures
