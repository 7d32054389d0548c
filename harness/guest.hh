#pragma once

// labrun as PID 1 of a lab kernel: makes the lab root its root, runs one block, and switches the
// kernel off.

#include <cstddef>
#include <string>

namespace harness {

// Names of the environment words by which the launcher tells PID 1 what to do.
inline constexpr const char* kGuestRootWord = "LABRUN_ROOT";  // the lab root, as a path of the host
inline constexpr const char* kGuestProgramsWord =
    "LABRUN_PROGRAMS";  // folder of labdns and labquery, likewise
inline constexpr const char* kGuestRunWord = "LABRUN_RUN";      // the run directory, likewise
inline constexpr const char* kGuestBlockWord = "LABRUN_BLOCK";  // number of the block

// Of the `number`-th of server_releases(), its root, likewise.
std::string guest_release_word(std::size_t number);

// Whether this process is PID 1 of a lab kernel.
bool is_guest();

// Never returns. Failures are told to the launcher as a message; the kernel is switched off in any
// case.
[[noreturn]] void run_guest();

}  // namespace harness
