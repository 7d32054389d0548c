#include "tests/decoder/private_network.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "netns/link.hh"
#include "netns/netlink_socket.hh"
#include "netns/offload.hh"

#include <fcntl.h>
#include <format>
#include <sched.h>
#include <unistd.h>

namespace decoder {
namespace {

constexpr std::uint32_t kMtu = 1500;
constexpr std::uint8_t kPrefixLength = 24;

void write_existing(const std::filesystem::path& path, const std::string& text) {
  const base::FileDescriptor file(
      base::check_syscall(::open(path.c_str(), O_WRONLY | O_CLOEXEC), "open {}", path.string()));
  base::write_all(file, text);
}

// As root of the namespace: who is anybody else there loses all capabilities with exec. With a
// network namespace of it to come from, since there is no way back into one of somebody else's.
void become_root_of_own_namespace() {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  base::check_syscall(::unshare(CLONE_NEWUSER | CLONE_NEWNET), "create a user namespace");
  write_existing("/proc/self/setgroups", "deny");
  write_existing("/proc/self/uid_map", std::format("0 {} 1", user));
  write_existing("/proc/self/gid_map", std::format("0 {} 1", group));
}

netns::NetworkNamespace create_namespace() {
  try {
    return netns::NetworkNamespace::create();
  } catch (const base::SystemError& error) {
    if (error.error_number() != EPERM) throw;
  }
  become_root_of_own_namespace();
  return netns::NetworkNamespace::create();
}

struct End {
  const netns::NetworkNamespace& space;
  netns::IpAddress address;
  netns::MacAddress mac;
};

void configure(const End& own, const End& other) {
  const netns::Entered inside(own.space);
  netns::NetlinkSocket socket;
  netns::turn_offloads_off(kDevice);
  const netns::InterfaceIndex device = netns::read_link(socket, kDevice).index;
  netns::set_up(socket, device, netns::AddressResolution::kOff);
  netns::add_address(socket, device, own.address, kPrefixLength);
  netns::add_permanent_neighbour(socket, device, other.address, other.mac);
}

void connect(const End& client, const End& server) {
  {
    const netns::Entered inside(client.space);
    netns::NetlinkSocket socket;
    netns::create_veth_pair(socket, {kDevice, client.mac}, {kDevice, server.mac}, server.space,
                            kMtu);
  }
  configure(client, server);
  configure(server, client);
}

base::ChildProcess start(const netns::NetworkNamespace& space, const std::vector<std::string>& argv,
                         const std::filesystem::path& log) {
  const base::FileDescriptor output(
      base::check_syscall(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
                          "open {}", log.string()));
  return base::ChildProcess(
      {.argv = argv,
       .environment = {"PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8",
                       "HOME=" + log.parent_path().string()},
       .descriptors = {{output.number(), STDOUT_FILENO}, {output.number(), STDERR_FILENO}},
       .network_namespace = space.descriptor()});
}

}  // namespace

PrivateNetwork::PrivateNetwork() : client_(create_namespace()), server_(create_namespace()) {
  connect({.space = client_,
           .address = netns::IpAddress::parse(kClientAddress).value(),
           .mac = {0x02, 0, 0, 0, 0, 0x01}},
          {.space = server_,
           .address = netns::IpAddress::parse(kServerAddress).value(),
           .mac = {0x02, 0, 0, 0, 0, 0x02}});
}

base::ChildProcess PrivateNetwork::start_client(const std::vector<std::string>& argv,
                                                const std::filesystem::path& log) const {
  return start(client_, argv, log);
}

base::ChildProcess PrivateNetwork::start_server(const std::vector<std::string>& argv,
                                                const std::filesystem::path& log) const {
  return start(server_, argv, log);
}

}  // namespace decoder
