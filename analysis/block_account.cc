#include "analysis/block_account.hh"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace analysis {
namespace {

void merge(DirectionAccount& into, const DirectionAccount& other) {
  into.sent += other.sent;
  into.sent_bytes += other.sent_bytes;
  into.lost += other.lost;
  into.duplicated += other.duplicated;
  into.corrupted += other.corrupted;
  if (other.min_delay) into.note_delay(*other.min_delay);
  if (other.max_delay) into.note_delay(*other.max_delay);
}

void merge(PathAccount& into, const PathAccount& other) {
  merge(into.to_server, other.to_server);
  merge(into.to_client, other.to_client);
}

using Json = nlohmann::ordered_json;

Json value_or_null(const std::optional<base::Nanoseconds>& delay) {
  return delay ? Json(delay->count()) : Json(nullptr);
}

Json to_json(const DirectionAccount& account) {
  return {{"sent", account.sent},
          {"sent_bytes", account.sent_bytes},
          {"lost", account.lost},
          {"duplicated", account.duplicated},
          {"corrupted", account.corrupted},
          {"min_delay_ns", value_or_null(account.min_delay)},
          {"max_delay_ns", value_or_null(account.max_delay)}};
}

Json to_json(const PathAccount& account) {
  return {{"client_to_server", to_json(account.to_server)},
          {"server_to_client", to_json(account.to_client)}};
}

}  // namespace

void DirectionAccount::note_delay(base::Nanoseconds delay) {
  min_delay = std::min(min_delay.value_or(delay), delay);
  max_delay = std::max(max_delay.value_or(delay), delay);
}

bool BlockAccount::is_sound() const {
  return unaccounted == 0 && foreign_addresses.empty() && capture_drops == 0 && truncated == 0;
}

void merge(BlockAccount& into, const BlockAccount& other) {
  merge(into.queries, other.queries);
  merge(into.preparation, other.preparation);
  merge(into.calibration, other.calibration);
  into.unaccounted += other.unaccounted;
  for (const std::string& complaint : other.complaints)
    if (into.complaints.size() < BlockAccount::kMaxComplaints) into.complaints.push_back(complaint);
  into.foreign_addresses.insert(other.foreign_addresses.begin(), other.foreign_addresses.end());
  into.largest_ip_packet = std::max(into.largest_ip_packet, other.largest_ip_packet);
  into.capture_drops += other.capture_drops;
  into.truncated += other.truncated;
}

nlohmann::ordered_json to_json(const BlockAccount& account) {
  return {{"queries", to_json(account.queries)},
          {"preparation", to_json(account.preparation)},
          {"calibration", to_json(account.calibration)},
          {"unaccounted", account.unaccounted},
          {"complaints", account.complaints},
          {"foreign_addresses", account.foreign_addresses},
          {"largest_ip_packet", account.largest_ip_packet},
          {"capture_drops", account.capture_drops},
          {"truncated", account.truncated}};
}

}  // namespace analysis
