#include "clients/batch.hh"

#include "base/errors.hh"
#include "captures/query_record.hh"
#include "clients/query_request.hh"
#include "clients/query_runner.hh"

#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace clients {
namespace {

// Lines of a blocking descriptor; what one read(2) brings is served without another.
class LineReader {
 public:
  explicit LineReader(const base::FileDescriptor& from) : from_(from) {}

  // Without its line feed; nullopt at the end. Throws LabError for a line that is too long or does
  // not end.
  std::optional<std::string> next() {
    std::size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      if (buffer_.size() > kMaxRequestLineBytes)
        throw base::LabError(
            std::format("a request line is longer than {} bytes", kMaxRequestLineBytes));
      const auto more = base::read_some(from_, kMaxRequestLineBytes);
      if (more && more->empty()) {
        if (!buffer_.empty()) throw base::LabError("the last request line does not end");
        return std::nullopt;
      }
      if (more) buffer_ += *more;
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }

 private:
  const base::FileDescriptor& from_;
  std::string buffer_;
};

}  // namespace

void run_batch(const base::FileDescriptor& requests, const base::FileDescriptor& records,
               QueryRunner& runner, bool keylog_inline) {
  LineReader lines(requests);
  const auto keylog = keylog_inline ? captures::Keylog::kInclude : captures::Keylog::kLeaveOut;
  while (const auto line = lines.next()) {
    const auto request = parse_query_request(*line);
    if (!request) throw base::LabError(std::format("request: {}", request.error()));
    const captures::QueryRecord record = request->prepare
                                             ? runner.prepare(request->spec, request->identity)
                                             : runner.run(request->spec, request->identity);
    base::write_all(records, captures::to_json_line(record, keylog) + '\n');
  }
}

}  // namespace clients
