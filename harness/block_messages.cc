#include "harness/block_messages.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>

namespace harness {

using nlohmann::json;

namespace {

bool is_list_of_strings(const json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const json& one) { return one.is_string(); });
}

}  // namespace

void BlockMessages::progress(std::uint32_t queries_done, base::Nanoseconds elapsed) const {
  base::write_all(
      line_, std::format("{{\"progress\":{},\"elapsed_ns\":{}}}\n", queries_done, elapsed.count()));
}

void BlockMessages::doing(const BlockWork& work) const {
  base::write_all(line_, json{{"doing", work.work}, {"logs", work.logs}}.dump() + "\n");
}

void BlockMessages::finished() const {
  base::write_all(line_, "{\"finished\":true}\n");
}

void BlockMessages::failed(std::string_view reason) const {
  base::write_all(line_, json{{"failed", reason}}.dump() + "\n");
}

std::expected<BlockMessage, std::string> parse_block_message(std::string_view line) {
  const json message = json::parse(line, nullptr, /*allow_exceptions=*/false);
  BlockMessage parsed;
  if (message.is_object() && message.contains("progress") &&
      message["progress"].is_number_unsigned() && message.contains("elapsed_ns") &&
      message["elapsed_ns"].is_number_unsigned()) {
    parsed.queries_done = message["progress"].get<std::uint32_t>();
    parsed.elapsed = base::Nanoseconds(message["elapsed_ns"].get<std::int64_t>());
    return parsed;
  }
  if (message.is_object() && message.contains("doing") && message["doing"].is_string() &&
      message.contains("logs") && is_list_of_strings(message["logs"])) {
    parsed.kind = BlockMessage::Kind::kDoing;
    parsed.doing = {.work = message["doing"].get<std::string>(),
                    .logs = message["logs"].get<std::vector<std::string>>()};
    return parsed;
  }
  if (message.is_object() && message.contains("finished")) {
    parsed.kind = BlockMessage::Kind::kFinished;
    return parsed;
  }
  if (message.is_object() && message.contains("failed") && message["failed"].is_string()) {
    parsed.kind = BlockMessage::Kind::kFailed;
    parsed.reason = message["failed"].get<std::string>();
    return parsed;
  }
  return std::unexpected(std::format("not a block's message: {}", line.substr(0, 200)));
}

}  // namespace harness
