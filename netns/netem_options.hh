#pragma once

// netem's options as the kernel's netlink takes and reports them (linux/pkt_sched.h). Pure: bytes
// and values.

#include "base/rng.hh"
#include "netns/netlink_message.hh"
#include "netns/path_spec.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace netns {

// Probabilities are 32-bit fractions: 0 is never, 2^32-1 is always, and nothing above 0 becomes
// never.
std::uint32_t to_fraction(base::Probability probability);
base::Probability from_fraction(std::uint32_t fraction);

// Appends TCA_OPTIONS. All options are always present, since the kernel keeps the value of one that
// is left out. `spec` must have no problems.
void put_netem_options(NetlinkMessage& message, const OneWaySpec& spec, base::Seed seed);

// What the kernel says it does. Nothing is rounded: every field is compared as the kernel stores
// it.
struct NetemState {
  std::int64_t delay_ns = 0;
  std::int64_t jitter_ns = 0;
  std::uint32_t loss = 0;  // fraction; 0 under Gilbert-Elliott
  bool gilbert_elliott = false;
  std::uint32_t good_to_bad = 0;
  std::uint32_t bad_to_good = 0;
  std::uint32_t pass_in_bad = 0;
  std::uint32_t loss_in_good = 0;
  std::uint64_t rate_bytes_per_second = 0;  // 0: not limited
  std::uint32_t gap = 0;                    // 0: no reordering
  std::uint32_t reorder = 0;
  std::uint32_t duplicate = 0;
  std::uint32_t corrupt = 0;
  std::uint32_t correlations = 0;  // all of them or-ed; must be 0
  std::uint32_t limit = 0;
  std::optional<base::Seed> seed;  // nullopt before Linux 6.6, which has no seeds
  bool operator==(const NetemState&) const = default;
};

NetemState expected_state(const OneWaySpec& spec, base::Seed seed);
NetemState parse_netem_options(std::span<const std::byte> options);
// Back to the words of a scenario, for facts and messages.
OneWaySpec to_spec(const NetemState& state);

// "delay: wanted 20000000, the kernel has 0" for the first field that differs; nullopt where all
// agree. A kernel without seeds is no difference: its draws are as random, only not repeatable.
std::optional<std::string> first_difference(const NetemState& wanted, const NetemState& found);

}  // namespace netns
