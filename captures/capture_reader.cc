#include "captures/capture_reader.hh"

#include "captures/byte_order.hh"
#include "captures/pcapng_format.hh"

#include <type_traits>

namespace captures {

CaptureReader::CaptureReader(std::istream& input) {
  CaptureInput start(input);
  const auto magic = start.peek_magic();
  if (PcapReader::is_magic(magic)) {
    reader_.emplace<PcapReader>(start);
  } else if (magic.size() == CaptureInput::kMagicBytes &&
             read_32(magic, 0) == pcapng::kSectionHeaderBlock) {
    reader_.emplace<PcapngReader>(start);
  }
}

std::expected<std::optional<SeenBlock>, std::string> CaptureReader::next() {
  return std::visit(
      [](auto& reader) -> std::expected<std::optional<SeenBlock>, std::string> {
        if constexpr (std::is_same_v<decltype(reader), Unknown&>)
          return std::unexpected("neither pcapng nor pcap");
        else
          return reader.next();
      },
      reader_);
}

}  // namespace captures
