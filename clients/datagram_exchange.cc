#include "clients/datagram_exchange.hh"

#include "clients/stream_exchange.hh"

#include <sys/epoll.h>

#include <cstring>

namespace clients {

using captures::Phases;

DatagramExchange::DatagramExchange(const ExchangeContext& context)
    : context_(context), query_(make_dns_query(context.spec)) {}

DatagramExchange::~DatagramExchange() {
  drop_socket();
}

void DatagramExchange::start() {
  socket_.emplace(SocketKind::kUdp, context_.spec.server, context_.spec.local_port,
                  context_.buffer);
  int error = socket_->connect();
  context_.progress.record().flows.push_back(socket_->flow());
  if (error == 0) error = socket_->send(query_.wire).error;
  if (error != 0) {
    context_.progress.fail(std::strerror(error));
    return;
  }
  context_.progress.mark(&Phases::sent);
  context_.loop.watch(socket_->number(), EPOLLIN, [this](std::uint32_t) { on_ready(); });
}

// Datagrams have no connection that could be open: this is a query like the first one.
void DatagramExchange::ask_again() {
  drop_socket();
  over_tcp_.reset();
  start();
}

void DatagramExchange::on_ready() {
  int error = 0;
  for (const transport::ByteSpan datagram : socket_->receive_datagrams(&error)) {
    if (context_.progress.ended()) return;
    if (claims_to_answer(query_, datagram)) {
      receive(datagram);
      if (!socket_) return;
    } else {
      ++context_.progress.record().ignored_datagrams;
    }
  }
  if (error != 0) context_.progress.fail(std::strerror(error));
}

void DatagramExchange::receive(transport::ByteSpan datagram) {
  context_.progress.mark(&Phases::first_byte);
  const auto answer = check_answer(query_, datagram);
  if (answer && answer->truncated)
    continue_over_tcp();
  else
    settle(context_.progress, answer);
}

void DatagramExchange::continue_over_tcp() {
  drop_socket();
  context_.progress.fall_back("tcp");
  over_tcp_ = std::make_unique<StreamExchange>(context_);
  over_tcp_->start();
}

void DatagramExchange::close() {
  if (over_tcp_) over_tcp_->close();
}

void DatagramExchange::drop_socket() {
  if (socket_) context_.loop.forget(socket_->number());
  socket_.reset();
}

}  // namespace clients
