#pragma once

// Where an arm's server stands in the lab's network, how labdns is started there, and how fast a
// query can be at best.

#include "harness/plan.hh"

#include <cstdint>
#include <span>

namespace harness {

// `ordinal` is the arm's place in the scenario, from 0: it decides the address.
PlannedArm plan_arm(const Arm& arm, std::uint32_t ordinal, std::span<const Transport> transports);

// What a query over `transport` finds where `wanted` is asked for: Do53 has no connection.
Connection connection_of(Connection wanted, Transport transport);

// Fewest round trips in which a query is answered with these settings, server time zero,
// nothing lost. A flight that exceeds QUIC's anti-amplification limit costs another one; that is no
// part of the floor but what measurement is to show.
int floor_round_trips(const Settings& settings, Transport transport);

}  // namespace harness
