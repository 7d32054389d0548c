#pragma once

// Strict reading of JSON objects that another process wrote: every value is checked for type and
// range, and the complaint names the key. Throws MalformedJson, which callers turn into a value.

#include "base/clock.hh"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace captures {

// "phases_ns.connect: not an integer in range".
class MalformedJson : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A view of one JSON object; `path` is how complaints name it, empty for the outermost.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string path);

  // Throws where the key is missing.
  template <typename Value>
  Value require(std::string_view key) const;
  // Empty where the key is missing or null.
  template <typename Value>
  std::optional<Value> find(std::string_view key) const;
  std::optional<JsonFields> find_object(std::string_view key) const;
  // The objects of an array; a missing or null array is empty.
  std::vector<JsonFields> objects(std::string_view key) const;
  [[noreturn]] void reject(std::string_view key, std::string_view complaint) const;

 private:
  const nlohmann::json* value_of(std::string_view key) const;
  std::string path_of(std::string_view key) const;
  template <typename Value>
  Value convert(const nlohmann::json& value, std::string_view key) const;

  const nlohmann::json* object_;
  std::string path_;
};

template <typename Value>
Value JsonFields::convert(const nlohmann::json& value, std::string_view key) const {
  if constexpr (std::is_same_v<Value, std::string>) {
    if (!value.is_string()) reject(key, "not a string");
    return value.get<std::string>();
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (!value.is_boolean()) reject(key, "not a boolean");
    return value.get<bool>();
  } else if constexpr (std::is_same_v<Value, double>) {
    if (!value.is_number()) reject(key, "not a number");
    return value.get<double>();
  } else if constexpr (std::is_same_v<Value, base::Nanoseconds>) {
    return base::Nanoseconds(convert<std::int64_t>(value, key));
  } else if constexpr (std::is_integral_v<Value>) {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= kLargest
                                                 : std::is_signed_v<Value>;
    if (!value.is_number_integer() || !fits) reject(key, "not an integer in range");
    return value.get<Value>();
  } else {
    if (!value.is_array()) reject(key, "not an array");
    Value elements;
    for (const nlohmann::json& element : value)
      elements.push_back(convert<typename Value::value_type>(element, key));
    return elements;
  }
}

template <typename Value>
std::optional<Value> JsonFields::find(std::string_view key) const {
  const nlohmann::json* value = value_of(key);
  if (value == nullptr) return std::nullopt;
  return convert<Value>(*value, key);
}

template <typename Value>
Value JsonFields::require(std::string_view key) const {
  const nlohmann::json* value = value_of(key);
  if (value == nullptr) reject(key, "missing");
  return convert<Value>(*value, key);
}

}  // namespace captures
