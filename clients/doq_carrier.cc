#include "clients/doq_carrier.hh"

#include "transport/dns_message.hh"

#include <format>
#include <utility>

namespace clients {

DoqCarrier::DoqCarrier(const QuerySpec& spec, transport::QuicConnection& connection,
                       QueryProgress& progress)
    : query_(make_dns_query(spec)), connection_(connection), progress_(progress) {
  if (connection_.early_data_offered()) send_query();
}

void DoqCarrier::ask_again() {
  deframer_ = {};
  answer_.reset();
  stream_.reset();
  send_query();
}

void DoqCarrier::send_query() {
  if (stream_) return;
  stream_ = connection_.open_bidi_stream();
  // FIN goes with the query (section 4.2): there is one query per stream.
  if (stream_) connection_.write(*stream_, transport::frame_message(query_.wire), true);
}

void DoqCarrier::on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) {
  if (progress_.ended()) return;
  if (stream != stream_) {
    report_breach("the server opened a stream");
    return;
  }
  if (!bytes.empty()) progress_.mark(&captures::Phases::first_byte);
  deframer_.receive(bytes);
  if (!answer_) answer_ = deframer_.next();
  if (answer_ && deframer_.pending() > 0)
    report_breach("bytes follow the answer on its stream");
  else if (fin)
    judge_answer();
}

void DoqCarrier::judge_answer() {
  if (!answer_) {
    report_breach("the stream ended inside the answer");
    return;
  }
  settle(progress_, check_answer(query_, *answer_));
  // An ID other than 0 and the like are protocol errors as well (section 4.3.3).
  if (progress_.record().outcome == captures::Outcome::kFailed) close_code_ = kDoqProtocolError;
}

void DoqCarrier::on_stream_reset(transport::StreamId stream, std::uint64_t code) {
  if (stream == stream_)
    progress_.fail(std::format("the server reset the stream with code 0x{:x}", code));
}

void DoqCarrier::on_stop_sending(transport::StreamId stream, std::uint64_t code) {
  if (stream == stream_)
    report_breach(std::format("the server sent STOP_SENDING with code 0x{:x}", code));
}

void DoqCarrier::report_breach(std::string what) {
  close_code_ = kDoqProtocolError;
  progress_.fail("DoQ: " + std::move(what));
}

void DoqCarrier::expire() {
  if (answer_) report_breach("the answer came, but its stream was not ended");
}

void DoqCarrier::close() {
  connection_.close(close_code_, "");
}

}  // namespace clients
