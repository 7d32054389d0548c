#pragma once

// What runs on one accepted byte stream, in plaintext: bytes in, bytes out.

#include "transport/bytes.hh"

#include <functional>
#include <memory>

namespace endpoints {

class StreamSession {
 public:
  virtual ~StreamSession() = default;

  virtual void receive(transport::ByteSpan bytes) = 0;
  // Everything to be sent now.
  virtual transport::Bytes take_output() = 0;
  // The peer broke the protocol or is done: the connection ends after the output.
  virtual bool finished() const = 0;
};

using StreamSessionFactory = std::function<std::unique_ptr<StreamSession>()>;

}  // namespace endpoints
