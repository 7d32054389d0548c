#pragma once

// A run directory with a few queries of a run, complete in itself: what a bundle is made of.

#include "harness/private_words.hh"
#include "harness/stored_run.hh"

#include <filesystem>
#include <span>
#include <string>

namespace harness {

// Writes into `folder`, which exists, what of `run` concerns the queries `ids`: plan, records,
// packets with keys, fates, and of their servers configuration, versions and logs. The blocks of
// the rest are left out of the manifest. Nothing of `hidden` gets in. Throws LabError.
void write_small_run(const StoredRun& run, std::span<const std::string> ids,
                     const PrivateWords& hidden, const std::filesystem::path& folder);

}  // namespace harness
