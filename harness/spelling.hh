#pragma once

// What a person probably meant.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace harness {

// Fewest insertions, deletions, replacements and swaps of neighbours that make one of the other
// (Damerau-Levenshtein, optimal string alignment).
std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate closest to `word`, or empty when none is close. Dotted names are compared by their
// last part first, so that "path.loss" finds "path.each_way.loss".
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean always?", or all names where none is close: "allowed: never or always".
std::string suggestion(std::string_view word, std::span<const std::string_view> names);

// "never, always or sometimes".
std::string join_alternatives(std::span<const std::string_view> names);

}  // namespace harness
