#include "tests/analysis/toy_lookup.hh"

#include <algorithm>
#include <memory>
#include <utility>

namespace analysis::toy {
namespace {

constexpr base::Nanoseconds kFirstTimer = 100_ms;
constexpr base::Nanoseconds kWork = 40_us;

// One end's flight of two packets; it is repeated, packet by packet, until each is acknowledged.
struct Flight {
  std::string name;
  End from = End::kServer;
  std::set<int> arrived;
  std::set<int> acknowledged;
  bool completes_answer = false;
  World::Action all_arrived;
};

void send_part(World& world, const std::shared_ptr<Flight>& flight, int part,
               base::Nanoseconds timer) {
  const std::string content = flight->name + " " + std::to_string(part) + "/2";
  const bool completes = flight->completes_answer && part == 2;
  world.send(
      flight->from, content,
      [&world, flight, part] {
        const std::size_t before = flight->arrived.size();
        flight->arrived.insert(part);
        // The acknowledgement, itself never repeated unless the packet is.
        world.send(other(flight->from), "ack " + flight->name + " " + std::to_string(part),
                   [flight, part] { flight->acknowledged.insert(part); });
        if (before == 1 && flight->arrived.size() == 2) flight->all_arrived();
      },
      completes);
  world.after(timer, [&world, flight, part, timer] {
    if (!flight->acknowledged.contains(part)) send_part(world, flight, part, timer * 2);
  });
}

void ask(World& world, base::Nanoseconds timer, std::optional<base::Nanoseconds> noise) {
  world.send(End::kClient, "question", [&world] {
    world.after(kWork, [&world] {
      world.send(End::kServer, "answer", [&world] { world.answered(); }, true);
    });
  });
  if (noise) world.after(*noise, [&world] { world.send(End::kClient, "noise", [] {}); });
  world.after(timer, [&world, timer, noise] {
    if (!world.is_over()) ask(world, timer * 2, noise);
  });
}

struct Handshake {
  bool greeted = false;   // the server's flight is under way
  bool asked = false;     // the server has the question
  bool complete = false;  // the client has the server's flight
};

void send_flight(World& world, std::string name, bool completes_answer, World::Action arrived) {
  auto flight = std::make_shared<Flight>();
  flight->name = std::move(name);
  flight->completes_answer = completes_answer;
  flight->all_arrived = std::move(arrived);
  for (const int part : {1, 2}) send_part(world, flight, part, kFirstTimer);
}

void send_question(World& world, const std::shared_ptr<Handshake>& state, base::Nanoseconds timer) {
  world.send(End::kClient, "question", [&world, state] {
    if (std::exchange(state->asked, true)) return;
    world.after(kWork,
                [&world] { send_flight(world, "answer", true, [&world] { world.answered(); }); });
  });
  world.after(timer, [&world, state, timer] {
    if (!world.is_over()) send_question(world, state, timer * 2);
  });
}

void greet(World& world, const std::shared_ptr<Handshake>& state, base::Nanoseconds timer) {
  world.send(End::kClient, "hello", [&world, state] {
    if (std::exchange(state->greeted, true)) return;
    send_flight(world, "welcome", false, [&world, state] {
      state->complete = true;
      send_question(world, state, kFirstTimer);
    });
  });
  world.after(timer, [&world, state, timer] {
    if (!state->complete) greet(world, state, timer * 2);
  });
}

}  // namespace

Gate gate_of(const LossPattern& pattern) {
  return [pattern](PacketName name) { return std::ranges::contains(pattern, name); };
}

World::World(PathTimes times, Gate gate, base::Nanoseconds jitter, base::Seed seed)
    : times_(times), gate_(std::move(gate)), jitter_(jitter), rng_(seed) {}

base::Nanoseconds World::one_way(End from) const {
  return from == End::kClient ? times_.to_server : times_.to_client;
}

void World::after(base::Nanoseconds delay, Action action) {
  agenda_.emplace(now_ + delay, std::move(action));
}

void World::send(End from, std::string content, Action arrived, bool completes_answer) {
  if (jitter_ == base::Nanoseconds(0)) return judge(from, content, arrived, completes_answer);
  const auto work = rng_.below(static_cast<std::uint64_t>(jitter_.count()) + 1);
  // One end does one thing after the other.
  base::Nanoseconds& ready = ready_[from];
  ready = std::max(ready, now_ + base::Nanoseconds(work));
  after(ready - now_, [=, this] { judge(from, content, arrived, completes_answer); });
}

void World::judge(End from, const std::string& content, const Action& arrived,
                  bool completes_answer) {
  const PacketName name{.from = from, .ordinal = ++sent_[from]};
  trial_.packets.push_back({.name = name,
                            .at = now_,
                            .bytes = 100,
                            .meaning = content,
                            .signature = content,
                            .dropped = gate_(name),
                            .completes_answer = completes_answer});
  if (!trial_.packets.back().dropped) after(one_way(from), arrived);
}

void World::answered() {
  if (is_over()) return;
  trial_.time = now_;
  trial_.outcome = captures::Outcome::kAnswered;
}

Trial World::run() {
  while (!agenda_.empty() && agenda_.begin()->first <= times_.timeout) {
    const auto next = agenda_.extract(agenda_.begin());
    now_ = next.key();
    next.mapped()();
  }
  return std::move(trial_);
}

Protocol repeating() {
  return [](World& world) { ask(world, kFirstTimer, std::nullopt); };
}

Protocol with_noise(base::Nanoseconds behind_question) {
  return [=](World& world) { ask(world, kFirstTimer, behind_question); };
}

Protocol in_flights() {
  return [](World& world) { greet(world, std::make_shared<Handshake>(), kFirstTimer); };
}

Trial Lab::run_through(const Gate& gate) {
  World world(times, gate, jitter, base::derive_seed(seed, std::to_string(++runs)));
  protocol(world);
  Trial trial = world.run();
  for (const TrialPacket& packet : trial.packets)
    if (packet.dropped) trial.pattern.push_back(packet.name);
  std::ranges::sort(trial.pattern);
  return trial;
}

Trial Lab::run(const LossPattern& pattern) {
  Trial trial = run_through(gate_of(pattern));
  trial.pattern = pattern;
  return trial;
}

}  // namespace analysis::toy
