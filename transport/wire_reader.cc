#include "transport/wire_reader.hh"

#include "transport/dns_name.hh"

namespace transport {
namespace {

constexpr std::uint8_t kPointerBits = 0xc0;

}  // namespace

void WireReader::fail(std::string_view problem) {
  if (!failed()) error_ = std::format("byte {}: {}", at_, problem);
}

ByteSpan WireReader::read_bytes(std::size_t count) {
  if (failed()) return {};
  if (count > wire_.size() - at_) {
    fail("message ends early");
    return {};
  }
  const ByteSpan bytes = wire_.subspan(at_, count);
  at_ += count;
  return bytes;
}

std::uint8_t WireReader::read_u8() {
  const ByteSpan bytes = read_bytes(1);
  return bytes.empty() ? std::uint8_t{0} : bytes[0];
}

std::uint16_t WireReader::read_u16() {
  const ByteSpan bytes = read_bytes(2);
  if (bytes.empty()) return 0;
  return static_cast<std::uint16_t>(bytes[0] << 8U | bytes[1]);
}

std::uint32_t WireReader::read_u32() {
  const std::uint32_t high = read_u16();
  return high << 16U | read_u16();
}

bool WireReader::read_label(std::size_t& position, Name& name) {
  const std::size_t length = wire_[position];
  if (length == 0) {
    ++position;
    return false;
  }
  if (length > kMaxLabel) {
    fail("unknown kind of label");
    return false;
  }
  if (length > wire_.size() - position - 1) {
    fail("label ends early");
    return false;
  }
  // The final zero byte counts too.
  if (name.wire.size() + 1 + length + 1 > kMaxNameWire) {
    fail("name is longer than 255 bytes");
    return false;
  }
  append(name.wire, wire_.subspan(position, 1 + length));
  if (!name.text.empty()) name.text += '.';
  name.text += label_to_text(wire_.subspan(position + 1, length));
  position += 1 + length;
  return true;
}

WireReader::Name WireReader::read_name() {
  Name name;
  std::size_t position = at_;
  // Each pointer must lead before the labels that it ends, so offsets only fall and the loop ends.
  std::size_t run_start = at_;  // where the labels that we are reading began
  bool followed = false;
  while (!failed()) {
    if (position >= wire_.size()) {
      fail("name ends early");
      break;
    }
    if ((wire_[position] & kPointerBits) != kPointerBits) {
      if (read_label(position, name)) continue;
      if (!followed && !failed()) at_ = position;
      break;
    }
    if (wire_.size() - position < 2) {
      fail("compression pointer ends early");
      break;
    }
    const std::size_t target = static_cast<std::size_t>(wire_[position] & ~kPointerBits & 0xff)
                                   << 8U |
                               wire_[position + 1];
    if (target >= run_start) {
      fail("compression pointer does not point backwards");
      break;
    }
    if (!followed) at_ = position + 2;
    followed = true;
    position = run_start = target;
  }
  if (failed()) return {};
  name.wire.push_back(0);
  if (name.text.empty()) name.text = ".";
  return name;
}

}  // namespace transport
