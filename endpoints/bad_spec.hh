#pragma once

// The user asked for something that cannot be. Ends labdns with kExitBadInput.

#include "base/errors.hh"

namespace endpoints {

class BadSpec : public base::LabError {
 public:
  using base::LabError::LabError;
};

}  // namespace endpoints
