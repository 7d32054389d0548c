#include "netns/netem_options.hh"

#include "base/errors.hh"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <limits>
#include <string_view>
#include <utility>

namespace netns {
namespace {

constexpr std::uint32_t kAlways = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kHasRate64 = std::numeric_limits<std::uint32_t>::max();

template <typename Header>
std::span<const std::byte> header_bytes(const Header& header) {
  return std::as_bytes(std::span(&header, 1));
}

}  // namespace

std::uint32_t to_fraction(base::Probability probability) {
  if (probability.value() == 0) return 0;
  const double scaled = std::round(probability.value() * kAlways);
  return std::max(1U, static_cast<std::uint32_t>(scaled));
}

base::Probability from_fraction(std::uint32_t fraction) {
  const double exact = fraction / static_cast<double>(kAlways);
  // Scenarios say "2%", which 32 bits hold only nearly: the shortest form that means the same.
  const auto rounded = base::Probability::from(std::round(exact * 1e9) / 1e9);
  if (rounded && to_fraction(*rounded) == fraction) return *rounded;
  return base::Probability::from(exact).value_or(base::Probability());
}

NetemState expected_state(const OneWaySpec& spec, base::Seed seed) {
  NetemState state;
  state.delay_ns = spec.delay.count();
  state.jitter_ns = spec.jitter.count();
  if (const auto* random = std::get_if<RandomLoss>(&spec.loss)) {
    state.loss = to_fraction(random->probability);
  } else if (const auto* bursts = std::get_if<GilbertElliottLoss>(&spec.loss)) {
    state.gilbert_elliott = true;
    state.good_to_bad = to_fraction(bursts->good_to_bad);
    state.bad_to_good = to_fraction(bursts->bad_to_good);
    state.pass_in_bad = kAlways - to_fraction(bursts->loss_in_bad);
    state.loss_in_good = to_fraction(bursts->loss_in_good);
  }
  if (spec.rate) state.rate_bytes_per_second = spec.rate->bits_per_second / 8;
  if (spec.reorder) {
    state.gap = spec.reorder->gap;
    state.reorder = to_fraction(spec.reorder->probability);
  }
  state.duplicate = to_fraction(spec.duplicate);
  state.corrupt = to_fraction(spec.corrupt);
  state.limit = spec.limit == 0 ? kAmpleQueue : spec.limit;
  state.seed = seed;
  return state;
}

void put_netem_options(NetlinkMessage& message, const OneWaySpec& spec, base::Seed seed) {
  LABRUN_ASSERT(problems_of(spec).empty());
  const NetemState state = expected_state(spec, seed);
  // Delay and jitter go as 64-bit attributes alone: a kernel that does not know them is found out
  // when they are read back.
  const tc_netem_qopt header{.latency = 0,
                             .limit = state.limit,
                             .loss = state.loss,
                             .gap = state.gap,
                             .duplicate = state.duplicate,
                             .jitter = 0};
  const bool wide = state.rate_bytes_per_second >= kHasRate64;
  const tc_netem_rate rate{
      .rate = wide ? kHasRate64 : static_cast<std::uint32_t>(state.rate_bytes_per_second),
      .packet_overhead = 0,
      .cell_size = 0,
      .cell_overhead = 0};
  const auto fill = [&] {
    message.put_struct(TCA_NETEM_CORR, tc_netem_corr{})
        .put_struct(TCA_NETEM_REORDER, tc_netem_reorder{state.reorder, 0})
        .put_struct(TCA_NETEM_CORRUPT, tc_netem_corrupt{state.corrupt, 0})
        .put_struct(TCA_NETEM_RATE, rate);
    if (wide) message.put_u64(TCA_NETEM_RATE64, state.rate_bytes_per_second);
    message.put_struct(TCA_NETEM_LATENCY64, state.delay_ns)
        .put_struct(TCA_NETEM_JITTER64, state.jitter_ns);
    if (state.gilbert_elliott) {
      const tc_netem_gemodel model{state.good_to_bad, state.bad_to_good, state.pass_in_bad,
                                   state.loss_in_good};
      message.nest(TCA_NETEM_LOSS, [&] { message.put_struct(NETEM_LOSS_GE, model); });
    }
    message.put_u64(TCA_NETEM_PRNG_SEED, seed);
  };
  message.nest(TCA_OPTIONS, fill, header_bytes(header));
}

NetemState parse_netem_options(std::span<const std::byte> options) {
  NetemState state;
  tc_netem_qopt header{};
  if (options.size() < sizeof header)
    throw base::LabError("netem reports options without a header");
  std::ranges::copy(options.first(sizeof header),
                    std::as_writable_bytes(std::span(&header, 1)).begin());
  state.limit = header.limit;
  state.loss = header.loss;
  state.gap = header.gap;
  state.duplicate = header.duplicate;

  const NetlinkAttributes attributes(options.subspan(sizeof header));
  state.delay_ns = attributes.value<std::int64_t>(TCA_NETEM_LATENCY64);
  state.jitter_ns = attributes.value<std::int64_t>(TCA_NETEM_JITTER64);
  const auto correlation = attributes.value<tc_netem_corr>(TCA_NETEM_CORR);
  const auto reorder = attributes.value<tc_netem_reorder>(TCA_NETEM_REORDER);
  const auto corrupt = attributes.value<tc_netem_corrupt>(TCA_NETEM_CORRUPT);
  // netem keeps the probability of a reordering that was switched off; without a gap it has no
  // effect.
  state.reorder = state.gap == 0 ? 0 : reorder.probability;
  state.corrupt = corrupt.probability;
  state.correlations = correlation.delay_corr | correlation.loss_corr | correlation.dup_corr |
                       reorder.correlation | corrupt.correlation;
  state.rate_bytes_per_second = attributes.has(TCA_NETEM_RATE64)
                                    ? attributes.value<std::uint64_t>(TCA_NETEM_RATE64)
                                    : attributes.value<tc_netem_rate>(TCA_NETEM_RATE).rate;
  const NetlinkAttributes loss(attributes.payload(TCA_NETEM_LOSS));
  if (loss.has(NETEM_LOSS_GE)) {
    const auto model = loss.value<tc_netem_gemodel>(NETEM_LOSS_GE);
    state.gilbert_elliott = true;
    state.good_to_bad = model.p;
    state.bad_to_good = model.r;
    state.pass_in_bad = model.h;
    state.loss_in_good = model.k1;
  }
  if (attributes.has(TCA_NETEM_PRNG_SEED))
    state.seed = attributes.value<base::Seed>(TCA_NETEM_PRNG_SEED);
  return state;
}

OneWaySpec to_spec(const NetemState& state) {
  OneWaySpec spec;
  spec.delay = base::Nanoseconds(state.delay_ns);
  spec.jitter = base::Nanoseconds(state.jitter_ns);
  if (state.gilbert_elliott) {
    spec.loss = GilbertElliottLoss{.good_to_bad = from_fraction(state.good_to_bad),
                                   .bad_to_good = from_fraction(state.bad_to_good),
                                   .loss_in_bad = from_fraction(kAlways - state.pass_in_bad),
                                   .loss_in_good = from_fraction(state.loss_in_good)};
  } else if (state.loss != 0) {
    spec.loss = RandomLoss{from_fraction(state.loss)};
  }
  if (state.rate_bytes_per_second != 0) spec.rate = base::BitRate{state.rate_bytes_per_second * 8};
  if (state.gap != 0) spec.reorder = Reorder{from_fraction(state.reorder), state.gap};
  spec.duplicate = from_fraction(state.duplicate);
  spec.corrupt = from_fraction(state.corrupt);
  spec.limit = state.limit;
  return spec;
}

std::optional<std::string> first_difference(const NetemState& wanted, const NetemState& found) {
  std::optional<std::string> difference;
  const auto compare = [&](std::string_view field, auto NetemState::* member) {
    if (difference || wanted.*member == found.*member) return;
    difference =
        std::format("{}: wanted {}, the kernel has {}", field, wanted.*member, found.*member);
  };
  compare("delay in ns", &NetemState::delay_ns);
  compare("jitter in ns", &NetemState::jitter_ns);
  compare("loss in 1/2^32", &NetemState::loss);
  compare("Gilbert-Elliott loss", &NetemState::gilbert_elliott);
  compare("p in 1/2^32", &NetemState::good_to_bad);
  compare("r in 1/2^32", &NetemState::bad_to_good);
  compare("h in 1/2^32", &NetemState::pass_in_bad);
  compare("1-k in 1/2^32", &NetemState::loss_in_good);
  compare("rate in bytes/s", &NetemState::rate_bytes_per_second);
  compare("reordering gap", &NetemState::gap);
  compare("reordering in 1/2^32", &NetemState::reorder);
  compare("duplication in 1/2^32", &NetemState::duplicate);
  compare("corruption in 1/2^32", &NetemState::corrupt);
  compare("correlations", &NetemState::correlations);
  compare("limit", &NetemState::limit);
  if (difference || !found.seed || wanted.seed == found.seed) return difference;
  return std::format("seed: wanted {}, the kernel has {}", wanted.seed.value_or(0), *found.seed);
}

}  // namespace netns
