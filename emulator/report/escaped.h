#pragma once

/// \file
/// Text within formats of continuous integration.

#include <string>
#include <string_view>

namespace heddle::report {

/// As text, or the value of an attribute, of XML.
std::string escaped_xml(std::string_view text);

/// Within a command that GitHub reads: a property ends at a comma or colon, a message at the end of the line.
std::string escaped_github(std::string_view text, bool property);

}  // namespace heddle::report
