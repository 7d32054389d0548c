#include "captures/json_fields.hh"

#include <format>
#include <utility>

namespace captures {

JsonFields::JsonFields(const nlohmann::json& object, std::string path)
    : object_(&object), path_(std::move(path)) {
  if (!object.is_object())
    throw MalformedJson(path_.empty() ? "not a JSON object" : path_ + ": not an object");
}

const nlohmann::json* JsonFields::value_of(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::string JsonFields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : std::format("{}.{}", path_, key);
}

std::optional<JsonFields> JsonFields::find_object(std::string_view key) const {
  const nlohmann::json* value = value_of(key);
  if (value == nullptr) return std::nullopt;
  return JsonFields(*value, path_of(key));
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  const nlohmann::json* value = value_of(key);
  if (value == nullptr) return {};
  if (!value->is_array()) reject(key, "not an array");
  std::vector<JsonFields> fields;
  for (const nlohmann::json& element : *value)
    fields.emplace_back(element, std::format("{}[{}]", path_of(key), fields.size()));
  return fields;
}

void JsonFields::reject(std::string_view key, std::string_view complaint) const {
  throw MalformedJson(std::format("{}: {}", path_of(key), complaint));
}

}  // namespace captures
