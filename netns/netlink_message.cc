#include "netns/netlink_message.hh"

#include "base/errors.hh"

#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <algorithm>
#include <array>
#include <format>
#include <new>
#include <utility>

namespace netns {
namespace {

// libnl's functions fail only when a message outgrows its page, which none of ours can.
void expect_room(int result) {
  LABRUN_ASSERT(result >= 0);
}

constexpr std::array<std::pair<int, std::string_view>, 6> kNames{{{RTM_NEWLINK, "RTM_NEWLINK"},
                                                                  {RTM_GETLINK, "RTM_GETLINK"},
                                                                  {RTM_NEWADDR, "RTM_NEWADDR"},
                                                                  {RTM_NEWNEIGH, "RTM_NEWNEIGH"},
                                                                  {RTM_NEWQDISC, "RTM_NEWQDISC"},
                                                                  {RTM_GETQDISC, "RTM_GETQDISC"}}};

}  // namespace

void NetlinkMessage::Free::operator()(nl_msg* message) const {
  nlmsg_free(message);
}

NetlinkMessage::NetlinkMessage(int type, int flags, std::span<const std::byte> header)
    : message_(nlmsg_alloc_simple(type, NLM_F_REQUEST | flags)) {
  if (!message_) throw std::bad_alloc();
  // libnl's append takes a pointer to non-const, and only reads.
  expect_room(nlmsg_append(message_.get(), const_cast<std::byte*>(header.data()), header.size(),
                           NLMSG_ALIGNTO));
}

NetlinkMessage& NetlinkMessage::put(int attribute, std::span<const std::byte> bytes) {
  expect_room(nla_put(message_.get(), attribute, static_cast<int>(bytes.size()), bytes.data()));
  return *this;
}

NetlinkMessage& NetlinkMessage::put(int attribute, std::span<const std::uint8_t> bytes) {
  return put(attribute, std::as_bytes(bytes));
}

NetlinkMessage& NetlinkMessage::put(int attribute, std::string_view text) {
  expect_room(nla_put_string(message_.get(), attribute, std::string(text).c_str()));
  return *this;
}

NetlinkMessage& NetlinkMessage::put_u8(int attribute, std::uint8_t value) {
  return put_struct(attribute, value);
}

NetlinkMessage& NetlinkMessage::put_u32(int attribute, std::uint32_t value) {
  return put_struct(attribute, value);
}

NetlinkMessage& NetlinkMessage::put_u64(int attribute, std::uint64_t value) {
  return put_struct(attribute, value);
}

NetlinkMessage& NetlinkMessage::nest(int attribute, const std::function<void()>& fill,
                                     std::span<const std::byte> header) {
  // The kernel's older families (tc, link info) refuse or ignore NLA_F_NESTED, hence no
  // nla_nest_start().
  nlattr* outer = nla_reserve(message_.get(), attribute, static_cast<int>(header.size()));
  LABRUN_ASSERT(outer != nullptr);
  std::ranges::copy(header, static_cast<std::byte*>(nla_data(outer)));
  fill();
  outer->nla_len = static_cast<std::uint16_t>(static_cast<std::byte*>(nlmsg_tail(&this->header())) -
                                              reinterpret_cast<std::byte*>(outer));
  return *this;
}

nlmsghdr& NetlinkMessage::header() {
  return *nlmsg_hdr(message_.get());
}

std::span<const std::byte> NetlinkMessage::bytes() const {
  const nlmsghdr* header = nlmsg_hdr(message_.get());
  return {reinterpret_cast<const std::byte*>(header), header->nlmsg_len};
}

std::string NetlinkMessage::name() const {
  const int type = nlmsg_hdr(message_.get())->nlmsg_type;
  const auto* const known =
      std::ranges::find(kNames, type, &std::pair<int, std::string_view>::first);
  return known != kNames.end() ? std::string(known->second)
                               : std::format("netlink message {}", type);
}

NetlinkAttributes::NetlinkAttributes(const nlmsghdr& message, std::size_t header_bytes) {
  auto* const mutable_message = const_cast<nlmsghdr*>(&message);
  const int length = nlmsg_attrlen(mutable_message, static_cast<int>(header_bytes));
  if (length > 0)
    attributes_ = {reinterpret_cast<const std::byte*>(
                       nlmsg_attrdata(mutable_message, static_cast<int>(header_bytes))),
                   static_cast<std::size_t>(length)};
}

NetlinkAttributes::NetlinkAttributes(std::span<const std::byte> payload) : attributes_(payload) {}

std::span<const std::byte> NetlinkAttributes::payload(int attribute) const {
  // libnl's walk takes non-const, and only reads.
  auto* position = reinterpret_cast<nlattr*>(const_cast<std::byte*>(attributes_.data()));
  int remaining = static_cast<int>(attributes_.size());
  for (; nla_ok(position, remaining); position = nla_next(position, &remaining)) {
    if (nla_type(position) != attribute) continue;
    return {static_cast<const std::byte*>(nla_data(position)),
            static_cast<std::size_t>(nla_len(position))};
  }
  return {};
}

std::string NetlinkAttributes::text(int attribute) const {
  const auto bytes = payload(attribute);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

void NetlinkAttributes::copy(std::span<const std::byte> from, std::span<std::byte> to) {
  std::ranges::copy(from.first(std::min(from.size(), to.size())), to.begin());
}

}  // namespace netns
