#include "netns/offload.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <format>
#include <vector>

namespace netns {
namespace {

using base::check_syscall;

// More than any kernel has; a longer list is an error, never a silent cut.
constexpr std::uint32_t kMostFeatures = 256;
constexpr std::uint32_t kFeaturesPerBlock = 32;
constexpr std::uint32_t blocks_for(std::size_t features) {
  return static_cast<std::uint32_t>((features + kFeaturesPerBlock - 1) / kFeaturesPerBlock);
}

// tx-gso-* are the segmentations of tunnels. What is left out (VLAN tags, lockless transmission)
// changes no packet.
constexpr std::array<std::string_view, 11> kPrefixes{
    "tx-checksum-", "rx-checksum",  "tx-scatter-gather", "tx-tcp", "tx-udp",
    "tx-gso-",      "tx-generic-s", "tx-sctp-",          "rx-gro", "rx-udp-gro",
    "rx-lro"};

// One of ethtool's requests: a header and the elements that follow it.
template <typename Header, typename Element>
class EthtoolRequest {
 public:
  explicit EthtoolRequest(std::uint32_t command, std::size_t elements)
      : bytes_(sizeof(Header) + elements * sizeof(Element)) {
    header().cmd = command;
  }
  Header& header() { return *reinterpret_cast<Header*>(bytes_.data()); }
  Element& element(std::size_t number) {
    return *(reinterpret_cast<Element*>(&header() + 1) + number);
  }

 private:
  // Allocated storage is aligned for any of the kernel's structures.
  std::vector<std::byte> bytes_;
};

// One device, asked through ethtool's ioctl interface.
class EthtoolDevice {
 public:
  explicit EthtoolDevice(std::string_view name)
      : name_(name),
        socket_(check_syscall(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                              "open a socket for device {}", name)) {
    LABRUN_ASSERT(name.size() < IFNAMSIZ);
  }

  template <typename Header, typename Element>
  void send(EthtoolRequest<Header, Element>& data, std::string_view doing) const {
    ifreq request{};
    std::ranges::copy(name_, request.ifr_name);
    request.ifr_data = reinterpret_cast<char*>(&data.header());
    check_syscall(::ioctl(socket_.number(), SIOCETHTOOL, &request), "{} of device {}", doing,
                  name_);
  }

  std::uint32_t feature_count() const {
    EthtoolRequest<ethtool_sset_info, std::uint32_t> size(ETHTOOL_GSSET_INFO, 1);
    size.header().sset_mask = 1ULL << ETH_SS_FEATURES;
    send(size, "count the offloads");
    if (size.element(0) > kMostFeatures)
      throw base::LabError(std::format("device {}: the kernel has {} offloads, more than {}", name_,
                                       size.element(0), kMostFeatures));
    return size.element(0);
  }

 private:
  std::string name_;
  base::FileDescriptor socket_;
};

struct FeatureState {
  std::string name;
  bool changeable = false;
  bool active = false;
};

std::vector<FeatureState> read_features(const EthtoolDevice& device) {
  using Name = std::array<char, ETH_GSTRING_LEN>;
  const std::uint32_t count = device.feature_count();
  EthtoolRequest<ethtool_gstrings, Name> names(ETHTOOL_GSTRINGS, count);
  names.header().string_set = ETH_SS_FEATURES;
  names.header().len = count;
  device.send(names, "name the offloads");

  EthtoolRequest<ethtool_gfeatures, ethtool_get_features_block> state(ETHTOOL_GFEATURES,
                                                                      blocks_for(count));
  state.header().size = blocks_for(count);
  device.send(state, "read the offloads");

  std::vector<FeatureState> features;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Name& name = names.element(i);
    const ethtool_get_features_block& block = state.element(i / kFeaturesPerBlock);
    const std::uint32_t bit = 1U << (i % kFeaturesPerBlock);
    features.push_back({.name = {name.data(), ::strnlen(name.data(), name.size())},
                        .changeable = (block.available & ~block.never_changed & bit) != 0,
                        .active = (block.active & bit) != 0});
  }
  return features;
}

}  // namespace

bool is_offload(std::string_view feature) {
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return feature.starts_with(prefix); });
}

void turn_offloads_off(std::string_view name) {
  const EthtoolDevice device(name);
  const std::vector<FeatureState> features = read_features(device);
  // The kernel insists on exactly its own number of blocks.
  EthtoolRequest<ethtool_sfeatures, ethtool_set_features_block> change(ETHTOOL_SFEATURES,
                                                                       blocks_for(features.size()));
  change.header().size = blocks_for(features.size());
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features[i].changeable && is_offload(features[i].name))
      change.element(i / kFeaturesPerBlock).valid |= 1U << (i % kFeaturesPerBlock);
  device.send(change, "turn off the offloads");

  std::string kept;
  for (const auto& [feature, active] : read_offloads(name))
    if (active) kept += " " + feature;
  if (!kept.empty())
    throw base::LabError(
        std::format("device {}: the kernel keeps these offloads on:{}", name, kept));
}

std::map<std::string, bool> read_offloads(std::string_view name) {
  std::map<std::string, bool> offloads;
  for (const FeatureState& feature : read_features(EthtoolDevice(name)))
    if (is_offload(feature.name)) offloads.emplace(feature.name, feature.active);
  return offloads;
}

}  // namespace netns
