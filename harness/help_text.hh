#pragma once

// What `labrun --help` says beside its options.

#include <string_view>

namespace harness {

inline constexpr std::string_view kUsage =
    "labrun [run] SCENARIO [options]\n"
    "       labrun check|plan SCENARIO [options]\n"
    "       labrun explain RUN QUERY [--all] [--save DIR]\n"
    "       labrun analyze RUN|CAPTURE [--keylog FILE] [--packets]\n"
    "       labrun compare RUN RUN\n"
    "       labrun compare RUN CELL CELL\n"
    "       labrun exact SCENARIO [--max-drops N] [--against RUN] [--resume DIR]\n"
    "       labrun map SCENARIO [--max-drops N] [--late TIME] [--resume DIR]\n"
    "       labrun replay RUN QUERY... [--times N] [--record FILE]\n"
    "       labrun minimize RUN QUERY [--slower-by TIME] [--record FILE]\n"
    "       labrun bundle RUN [--query QUERY]... [--format FORMAT] [--out FILE]\n"
    "       labrun bundle verify FILE\n"
    "       labrun servers [--only SERVER] [--release stable|testing] [--json|--markdown]\n"
    "       labrun doctor";

inline constexpr std::string_view kDescription =
    "What does an encrypted-DNS transport do on this path, and why?\n"
    "labrun builds a small network, impairs it, runs real servers and one measuring client on it,\n"
    "keeps every packet, and prints a table whose every figure can be checked.";

inline constexpr std::string_view kFooter =
    "Examples:\n"
    "  labrun scenarios/loss2pct.yaml                      five transports at 2 % loss\n"
    "  labrun scenarios/loss2pct.yaml --queries 50         the same, shorter\n"
    "  labrun scenarios/handshake.yaml --only doq          one transport of it\n"
    "  labrun scenarios/smoke.yaml --set path.each_way.delay=50ms\n"
    "  labrun plan scenarios/loss2pct.yaml                 what would be done, without doing it\n"
    "  labrun explain runs/loss2pct-20261130T120000Z worst why the slowest query was slow\n"
    "  labrun analyze dump.pcapng --keylog keys.txt        what somebody else's capture shows\n"
    "  labrun map scenarios/map.yaml --only doq            what each lost packet costs\n"
    "  labrun exact scenarios/exact2pct.yaml               the tail without sampling\n"
    "  labrun bundle runs/nginx-1616-... --format nginx    the worst query, for a bug report\n"
    "\n"
    "Exit codes:\n"
    "    0  done, and every expectation of the scenario holds\n"
    "    1  done, and an expectation does not hold, a replay differs, samples disagree, what was "
    "to\n"
    "       be minimised does not happen again, a server does not do what it should, or a bundle\n"
    "       is not what it says\n"
    "    2  the arguments or the scenario are wrong; every mistake is listed\n"
    "    3  the lab could not be built, or what it measured is not valid\n"
    "  130  interrupted; the run directory has the finished blocks and says that it is incomplete\n"
    "\n"
    "A scenario's keys: docs/scenarios.md. What a run directory holds: docs/run-directory.md.";

}  // namespace harness
