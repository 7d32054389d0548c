#pragma once

// The parts that a bundle's texts are put together from, in Markdown.

#include "harness/bundle_text.hh"

#include <string>

namespace harness {

// "nginx@testing 1.30.6 over doh3: no answer within 10 s", in one line.
std::string headline(const BundleSubject& subject);
// What happens, in a paragraph.
std::string overview(const BundleSubject& subject);
// What should happen, with its source.
std::string expected(const BundleSubject& subject);
// The cell of the leading query, and the cells that differ from it in one setting.
std::string table(const BundleSubject& subject);
std::string controls(const BundleSubject& subject);
std::string steps(const BundleSubject& subject);
std::string environment(const BundleSubject& subject);
// The packets of the leading query; long ones are cut.
std::string ladder(const BundleSubject& subject);
// A block of preformatted text.
std::string fenced(const std::string& text);

}  // namespace harness
