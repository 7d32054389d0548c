#include "harness/private_words.hh"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ifaddrs.h>
#include <memory>
#include <pwd.h>
#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;
using Word = std::pair<std::string, std::string>;

// What any text about a lab has in it says nothing about a machine that is called so.
bool is_common(std::string_view word) {
  constexpr std::array<std::string_view, 15> kCommon{
      "root", "nobody", "localhost", "labrun", "client", "server",  "wire", "lab",
      "dns",  "debian", "linux",     "nginx",  "knot",   "unbound", "test"};
  constexpr std::size_t kShortest = 3;
  return word.size() < kShortest || std::ranges::contains(kCommon, word);
}

void add_path(std::vector<Word>& words, const fs::path& path, std::string_view instead) {
  // "/" and "/tmp" are nobody's.
  if (path.is_absolute() && std::distance(path.begin(), path.end()) > 2)
    words.emplace_back(path.string(), instead);
}

void add_user(std::vector<Word>& words) {
  if (const char* home = std::getenv("HOME"); home != nullptr && std::string_view(home) != "/root")
    add_path(words, home, "HOME");
  const passwd* user = ::getpwuid(::getuid());
  if (user == nullptr) return;
  if (std::string_view(user->pw_dir) != "/root") add_path(words, user->pw_dir, "HOME");
  if (!is_common(user->pw_name)) words.emplace_back(user->pw_name, "USER");
}

void add_host(std::vector<Word>& words) {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || is_common(name.data())) return;
  const std::string full = name.data();
  words.emplace_back(full, "HOST");
  const std::string first = full.substr(0, full.find('.'));
  if (first != full && !is_common(first)) words.emplace_back(first, "HOST");
}

std::string address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (address.sa_family == AF_INET6)
    bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (bytes == nullptr) return {};
  return ::inet_ntop(address.sa_family, bytes, text.data(), text.size()) == nullptr ? ""
                                                                                    : text.data();
}

void add_addresses(std::vector<Word>& words) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const std::string text = address_text(*one->ifa_addr);
    if (!text.empty()) words.emplace_back(text, "ADDRESS");
  }
}

bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// Where `word` stands by itself at or after `from`.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !continues_word(text[at - 1]);
    const bool ends = end == text.size() || !continues_word(text[end]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

PrivateWords PrivateWords::of_this_machine(const std::vector<fs::path>& more) {
  std::vector<Word> words;
  for (const fs::path& path : more) add_path(words, path, "FOLDER");
  add_user(words);
  add_host(words);
  add_addresses(words);
  return PrivateWords(std::move(words));
}

PrivateWords::PrivateWords(std::vector<Word> words) : words_(std::move(words)) {
  std::ranges::stable_sort(words_, std::ranges::greater(),
                           [](const Word& word) { return word.first.size(); });
}

std::string PrivateWords::removed_from(std::string text) const {
  for (const auto& [word, instead] : words_)
    for (std::size_t at = find_word(text, word, 0); at != std::string::npos;
         at = find_word(text, word, at + instead.size()))
      text.replace(at, word.size(), instead);
  return text;
}

std::string_view PrivateWords::found_in(std::string_view bytes) const {
  for (const auto& [word, instead] : words_)
    if (find_word(bytes, word, 0) != std::string_view::npos) return word;
  return {};
}

}  // namespace harness
