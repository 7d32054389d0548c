#pragma once

// Segmentation and checksum offloads. With any of them on, a qdisc sees one large packet where the
// wire has many, a capture shows packets longer than the MTU or without a checksum, and a receiver
// accepts what netem corrupted.

#include <map>
#include <string>
#include <string_view>

namespace netns {

// Turns every such offload off on a device of the calling thread's namespace. Throws LabError that
// names those that the kernel keeps on.
void turn_offloads_off(std::string_view device);

// The same offloads by the kernel's name ("tx-udp-segmentation"), and whether each is active.
std::map<std::string, bool> read_offloads(std::string_view device);

// Whether a feature of this name is one of them.
bool is_offload(std::string_view feature);

}  // namespace netns
