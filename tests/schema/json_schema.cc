#include "tests/schema/json_schema.hh"

#include <jsoncons/json.hpp>
#include <jsoncons_ext/jsonschema/jsonschema.hpp>

#include <exception>

namespace tests {

std::vector<std::string> complaints(std::string_view schema, std::string_view instance) {
  namespace jsonschema = jsoncons::jsonschema;
  std::vector<std::string> found;
  try {
    const auto compiled =
        jsonschema::make_json_schema(jsoncons::json::parse(jsoncons::string_view(schema)));
    compiled.validate(
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
