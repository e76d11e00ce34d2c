#pragma once

/// \file
/// JSON whose texts come from outside. (It names no JSON library: `Json` is nlohmann's, of any kind.)

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/text/readable.h"

namespace heddle::text {

/// Makes every text in a value, keys too, what `readable_lines` makes of it.
template <typename Json>
void make_readable(Json& json) {
  if (json.is_string()) {
    auto& text = json.template get_ref<std::string&>();
    text = readable_lines(text);
    return;
  }
  if (!json.is_structured()) return;
  for (Json& part : json) make_readable(part);
  if (!json.is_object()) return;
  const auto items = json.items();
  const bool keys = std::all_of(items.begin(), items.end(),
                                [](const auto& item) { return readable_lines(item.key()) == item.key(); });
  if (keys) return;
  Json renamed = Json::object();
  for (auto& item : json.items()) renamed[readable_lines(item.key())] = std::move(item.value());
  json = std::move(renamed);
}

/// The value as text that every reader of JSON takes, on one line unless it is indented. Throws for no text in it.
template <typename Json>
std::string json_text(Json json, int indent = -1) {
  make_readable(json);
  return json.dump(indent);
}

}  // namespace heddle::text
