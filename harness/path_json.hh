#pragma once

// One direction of a path in plan.json. Reads back exactly what it wrote.

#include "netns/path_spec.hh"

#include <nlohmann/json_fwd.hpp>

namespace captures {
class JsonFields;
}

namespace harness {

nlohmann::ordered_json one_way_to_json(const netns::OneWaySpec& spec);
// Throws captures::MalformedJson.
netns::OneWaySpec one_way_from_json(const captures::JsonFields& fields);

}  // namespace harness
