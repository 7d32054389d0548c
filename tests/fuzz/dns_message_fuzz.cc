// What the parser accepts, the encoder must be able to write, and the parser must read back the
// same. Built with libFuzzer.

#include "base/errors.hh"
#include "transport/dns_message.hh"
#include "transport/dns_text.hh"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const transport::ByteSpan wire(data, size);
  transport::salvage_dns_header(wire);
  const auto message = transport::parse_dns_message(wire);
  if (!message) return 0;
  for (const transport::DnsRecord& record : message->answers) transport::to_string(record);
  try {
    const auto again = transport::parse_dns_message(transport::encode_dns_message(*message));
    LABRUN_ASSERT(again && *again == *message);
  } catch (const base::LabError&) {
    // Record data that came compressed can be too long for a message once it is not.
  }
  return 0;
}
