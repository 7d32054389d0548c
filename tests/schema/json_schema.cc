#include "tests/schema/json_schema.hh"

#include <jsoncons/json.hpp>
#include <jsoncons_ext/jsonschema/jsonschema.hpp>

#include <exception>
#include <functional>
#include <map>

namespace tests {
namespace {

namespace jsonschema = jsoncons::jsonschema;

// A run has thousands of records of one schema, which takes longer to compile than to apply.
const jsonschema::json_schema<jsoncons::json>& compiled(std::string_view schema) {
  static std::map<std::string, jsonschema::json_schema<jsoncons::json>, std::less<>> known;
  auto found = known.find(schema);
  if (found == known.end())
    found = known
                .emplace(schema, jsonschema::make_json_schema(
                                     jsoncons::json::parse(jsoncons::string_view(schema))))
                .first;
  return found->second;
}

}  // namespace

std::vector<std::string> complaints(std::string_view schema, std::string_view instance) {
  std::vector<std::string> found;
  try {
    compiled(schema).validate(
        jsoncons::json::parse(jsoncons::string_view(instance)),
        [&](const jsonschema::validation_message& message) {
          found.push_back(message.instance_location().string() + ": " + message.message());
          return jsonschema::walk_result::advance;
        });
  } catch (const std::exception& error) {
    found.push_back(error.what());
  }
  return found;
}

}  // namespace tests
