#pragma once

// What the commands and the reports of several clients have in common.

#include "clients/client_program.hh"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clients {

// Of every program: nothing of ours is in it.
std::vector<std::string> plain_environment(const ClientSite& site);
// Whole seconds of the timeout, as options take them.
std::string seconds_text(base::Nanoseconds timeout);
// Whether the query is to be padded.
bool is_padded(const QuerySpec& spec);

// Ends the record as failed: `error` in the client's words, `fault` being whose failure it was.
void fail(captures::QueryRecord& record, captures::Fault fault, std::string error);
// The lines of `text` that say something, in one; empty where there are none.
std::string in_one_line(std::string_view text);
bool contains_any(std::string_view text, const std::vector<std::string_view>& words);

ClientCommand kdig_command(const QuerySpec& spec, const ClientSite& site);
ClientCommand dig_command(const QuerySpec& spec, const ClientSite& site);
ClientCommand curl_command(const QuerySpec& spec, const ClientSite& site);
void read_kdig(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record);
void read_dig(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record);
void read_curl(const ClientTraces& traces, const QuerySpec& spec, captures::QueryRecord& record);

}  // namespace clients
