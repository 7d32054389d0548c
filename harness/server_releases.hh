#pragma once

// Root directories that a plan's servers come from, beside the lab root: "nginx@testing" from the
// servers of Debian testing, "nginx@/my/root" from anywhere.

#include "harness/image.hh"
#include "harness/plan.hh"

#include <filesystem>
#include <string>
#include <vector>

namespace harness {

// The plan's releases but stable, each once, in the order of the arms.
std::vector<std::string> server_releases(const Plan& plan);

// Their root directories on this machine, in that order. Builds Debian testing's where it is not
// there yet, which takes a minute and says so on standard error. Throws LabError that says what to
// do where it cannot be had, BadInput where a path has no such server.
std::vector<std::filesystem::path> release_roots(const Plan& plan, const Image& image);

}  // namespace harness
