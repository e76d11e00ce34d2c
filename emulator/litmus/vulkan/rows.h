#pragma once

/// \file
/// Rows and cells of a test's text, as places in it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Where a place is in the text, counted from 0; the end of the text for one behind it.
std::size_t offset_of(std::string_view source, Place place);

/// What is written from a place on to the end of its cell, without blanks at its end.
std::string cell_at(std::string_view source, const Tokens& words, Place place);

/// Behind the ';' that ends the row of a place; nothing if none does.
std::optional<Place> end_of_row(std::string_view source, const Tokens& words, Place place);
/// Behind the ';' that ends the row before it.
std::optional<Place> end_of_row_before(std::string_view source, const Tokens& words, Place place);

/// A row, with a line end before it, in which one thread alone has something.
std::string row_with(const Test& test, std::size_t thread, std::string_view cell);

}  // namespace heddle::litmus
