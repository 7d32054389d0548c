#pragma once

// What labdns tells its parent once every socket is bound, and a person at the start.

#include "endpoints/certificate_chain.hh"
#include "endpoints/server_spec.hh"

#include <string>

namespace endpoints {

// One line of JSON without a newline:
// {"ready":true,"chain_bytes":3900,"certificates":[1300,...],"versions":{...},
// "listeners":[{"protocol":"dot","address":"192.0.2.53","port":853},...]}
std::string ready_line(const ServerSpec& spec, const CertificateChain& chain);

// Several lines: what is served where, and a command to try it with.
std::string greeting(const ServerSpec& spec, const CertificateChain& chain);

}  // namespace endpoints
