#include "netns/path_spec.hh"

#include <format>

namespace netns {
namespace {

using base::to_string;

class Problems {
 public:
  void add_if(bool is_wrong, std::string_view field, auto compose) {
    if (is_wrong) found_.push_back({field, compose()});
  }
  std::vector<SpecProblem> take() { return std::move(found_); }

 private:
  std::vector<SpecProblem> found_;
};

// Only Gilbert-Elliott can be wrong in itself.
bool never_leaves_bad(const LossModel& loss) {
  const auto* const bursts = std::get_if<GilbertElliottLoss>(&loss);
  return bursts != nullptr && bursts->bad_to_good.value() == 0 && bursts->good_to_bad.value() > 0;
}

std::string describe(const LossModel& loss) {
  if (const auto* random = std::get_if<RandomLoss>(&loss)) return to_string(random->probability);
  const auto& bursts = std::get<GilbertElliottLoss>(loss);
  return std::format("gilbert-elliott p {} r {} 1-h {} 1-k {}", to_string(bursts.good_to_bad),
                     to_string(bursts.bad_to_good), to_string(bursts.loss_in_bad),
                     to_string(bursts.loss_in_good));
}

}  // namespace

std::vector<SpecProblem> problems_of(const OneWaySpec& spec) {
  Problems problems;
  problems.add_if(spec.delay.count() < 0 || spec.delay > kLongestDelay, "delay", [&] {
    return std::format("{} is not between 0s and {}", to_string(spec.delay),
                       to_string(kLongestDelay));
  });
  problems.add_if(spec.jitter.count() < 0 || spec.jitter > kLongestJitter, "jitter", [&] {
    return std::format("{} is not between 0s and {}", to_string(spec.jitter),
                       to_string(kLongestJitter));
  });
  problems.add_if(spec.jitter.count() > 0 && spec.jitter > spec.delay, "jitter", [&] {
    return std::format("{} is longer than the delay of {}", to_string(spec.jitter),
                       to_string(spec.delay));
  });
  problems.add_if(never_leaves_bad(spec.loss), "loss",
                  [] { return "r is 0, so the bad state would never end"; });
  if (spec.rate) {
    const std::uint64_t rate = spec.rate->bits_per_second;
    problems.add_if(rate < kLowestRate.bits_per_second || rate > kHighestRate.bits_per_second,
                    "rate", [&] {
                      return std::format("{} is not between {} and {}", to_string(*spec.rate),
                                         to_string(kLowestRate), to_string(kHighestRate));
                    });
    problems.add_if(rate % 8 != 0 && rate >= kLowestRate.bits_per_second, "rate",
                    [&] { return std::format("{} bit/s are not whole bytes", rate); });
  }
  if (spec.reorder) {
    problems.add_if(spec.delay.count() == 0, "reorder",
                    [] { return "needs a delay that a packet can skip"; });
    problems.add_if(spec.reorder->gap < 1 || spec.reorder->gap > kLargestGap, "reorder", [&] {
      return std::format("gap {} is not between 1 and {}", spec.reorder->gap, kLargestGap);
    });
  }
  problems.add_if(spec.limit > kLargestQueue, "limit", [&] {
    return std::format("{} packets are more than {}", spec.limit, kLargestQueue);
  });
  return problems.take();
}

bool impairs(const OneWaySpec& spec) {
  OneWaySpec unlimited = spec;
  unlimited.limit = 0;
  return unlimited != OneWaySpec{};
}

double mean_loss(const LossModel& loss) {
  if (const auto* random = std::get_if<RandomLoss>(&loss)) return random->probability.value();
  const auto* const bursts = std::get_if<GilbertElliottLoss>(&loss);
  if (bursts == nullptr) return 0;
  const double changes = bursts->good_to_bad.value() + bursts->bad_to_good.value();
  // Without changes the chain stays where it starts, in the good state.
  if (changes == 0) return bursts->loss_in_good.value();
  return (bursts->bad_to_good.value() * bursts->loss_in_good.value() +
          bursts->good_to_bad.value() * bursts->loss_in_bad.value()) /
         changes;
}

std::string to_string(const OneWaySpec& spec) {
  std::vector<std::string> parts;
  if (spec.delay.count() != 0) parts.push_back(to_string(spec.delay));
  if (spec.jitter.count() != 0) parts.push_back("jitter " + to_string(spec.jitter));
  if (!std::holds_alternative<NoLoss>(spec.loss)) parts.push_back("loss " + describe(spec.loss));
  if (spec.rate) parts.push_back("rate " + to_string(*spec.rate));
  if (spec.reorder)
    parts.push_back(
        std::format("reorder {} gap {}", to_string(spec.reorder->probability), spec.reorder->gap));
  if (spec.duplicate.value() > 0) parts.push_back("duplicate " + to_string(spec.duplicate));
  if (spec.corrupt.value() > 0) parts.push_back("corrupt " + to_string(spec.corrupt));
  if (spec.limit != 0) parts.push_back(std::format("limit {} packets", spec.limit));
  if (parts.empty()) return "no impairment";
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) text += ", " + parts[i];
  return text;
}

}  // namespace netns
