#pragma once

// One request to the kernel's routing netlink, built with libnl's attribute functions.

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct nl_msg;

namespace netns {

class NetlinkMessage {
 public:
  // `type` is RTM_*, `flags` are NLM_F_* beyond NLM_F_REQUEST, `header` is the family's own
  // (ifinfomsg, tcmsg, ...).
  template <typename Header>
  NetlinkMessage(int type, int flags, const Header& header)
      : NetlinkMessage(type, flags, std::as_bytes(std::span(&header, 1))) {}

  NetlinkMessage& put(int attribute, std::span<const std::byte> bytes);
  NetlinkMessage& put(int attribute, std::span<const std::uint8_t> bytes);
  // With its terminating zero.
  NetlinkMessage& put(int attribute, std::string_view text);
  NetlinkMessage& put_u8(int attribute, std::uint8_t value);
  NetlinkMessage& put_u32(int attribute, std::uint32_t value);
  NetlinkMessage& put_u64(int attribute, std::uint64_t value);
  template <typename Struct>
  NetlinkMessage& put_struct(int attribute, const Struct& value) {
    return put(attribute, std::as_bytes(std::span(&value, 1)));
  }
  // What `fill` puts lies inside the attribute, after `header` where there is one.
  NetlinkMessage& nest(int attribute, const std::function<void()>& fill,
                       std::span<const std::byte> header = {});

  nlmsghdr& header();
  // Header and attributes as they are sent.
  std::span<const std::byte> bytes() const;
  // "RTM_NEWLINK", for error texts.
  std::string name() const;

 private:
  NetlinkMessage(int type, int flags, std::span<const std::byte> header);

  struct Free {
    void operator()(nl_msg* message) const;
  };
  std::unique_ptr<nl_msg, Free> message_;
};

// Attributes of a received message, by number; those of later kernels and of other sizes are left
// out by the caller's asking.
class NetlinkAttributes {
 public:
  // Walks the attributes after a family header of `header_bytes`, or in a nested attribute's
  // payload.
  NetlinkAttributes(const nlmsghdr& message, std::size_t header_bytes);
  explicit NetlinkAttributes(std::span<const std::byte> payload);

  bool has(int attribute) const { return !payload(attribute).empty(); }
  // Empty when absent.
  std::span<const std::byte> payload(int attribute) const;
  std::string text(int attribute) const;
  // Copies the leading bytes; a shorter attribute leaves the rest zero, an absent one everything.
  template <typename Value>
  Value value(int attribute) const {
    Value value{};
    copy(payload(attribute), std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

 private:
  static void copy(std::span<const std::byte> from, std::span<std::byte> to);
  std::span<const std::byte> attributes_;
};

}  // namespace netns
