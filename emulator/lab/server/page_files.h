#pragma once

/// \file
/// The files of the lab's page.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace heddle::lab {

/// Where the page is that was built with this program: beside it (`lab/`), or where it was installed. Empty if it is in
/// neither place.
std::filesystem::path find_page();

/// The regular files in and below `folder`, by the paths of their addresses ("/assets/page.js"); "/" is `index.html`.
/// Links are not followed, so that nothing outside the folder is among them. Throws std::filesystem::filesystem_error.
std::map<std::string, std::filesystem::path> page_files(const std::filesystem::path& folder);

/// The media type of a file by its ending; browsers start no WebAssembly of another type than "application/wasm" while
/// it comes.
std::string_view media_type(const std::filesystem::path& file);

/// Copies all files of `page` to `folder`, which is made if it is not there; other files there stay. Throws
/// std::filesystem::filesystem_error.
void copy_page(const std::filesystem::path& page, const std::filesystem::path& folder);

}  // namespace heddle::lab
