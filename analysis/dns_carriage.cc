#include "analysis/dns_carriage.hh"

#include "analysis/http2_carriage.hh"
#include "analysis/http3_carriage.hh"
#include "analysis/prefix_carriage.hh"
#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace analysis {

std::vector<CarriedMessage> DnsCarriage::take_messages() {
  return std::exchange(messages_, {});
}

void DnsCarriage::deliver(CarriedMessage message) {
  LABRUN_ASSERT(!message.ranges.empty());
  if (messages_.size() == kMaxWaitingMessages) {
    return complain(std::format("more than {} messages at once", kMaxWaitingMessages));
  }
  messages_.push_back(std::move(message));
}

void DnsCarriage::complain(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

std::unique_ptr<DnsCarriage> make_dns_carriage(Carriage carriage) {
  switch (carriage) {
    case Carriage::kDot:
      return std::make_unique<DotCarriage>();
    case Carriage::kDoq:
      return std::make_unique<DoqCarriage>();
    case Carriage::kDoh2:
      return std::make_unique<Http2Carriage>();
    case Carriage::kDoh3:
      return std::make_unique<Http3Carriage>();
  }
  std::unreachable();
}

std::optional<std::size_t> dns_padding(const transport::DnsMessage& message) {
  if (!message.edns) return std::nullopt;
  const auto& options = message.edns->options;
  const auto found =
      std::ranges::find(options, transport::kOptionPadding, &transport::EdnsOption::code);
  if (found == options.end()) return std::nullopt;
  return found->data.size();
}

}  // namespace analysis
