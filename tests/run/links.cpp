#include <catch2/catch.hpp>

#include <link.h>

#include <set>
#include <sstream>
#include <string>

namespace heddle::toy {
namespace {

std::set<std::string> loaded_libraries() {
  std::set<std::string> names;
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    static_cast<std::set<std::string>*>(to)->insert(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &names);
  return names;
}

}  // namespace

TEST_CASE("a front end whose agents are steppers links no runtime, no Boost.Context and no oneTBB") {
  std::set<std::string> linked;
  std::istringstream words(HEDDLE_LINKS);
  for (std::string word; words >> word;) linked.insert(word);
  for (const char* const needed : {"heddle_run", "heddle_memory", "heddle_race", "heddle_advice", "heddle_explore"})
    CHECK(linked.count(needed) == 1);
  for (const char* const foreign :
       {"heddle_runtime", "heddle_host", "heddle_watch", "heddle_report", "Boost::context", "TBB::tbb", "mimalloc"})
    CHECK(linked.count(foreign) == 0);
  for (const std::string& library : loaded_libraries())
    for (const char* const foreign : {"libtbb", "libboost_context", "libmimalloc"}) {
      INFO(library);
      CHECK(library.find(foreign) == std::string::npos);
    }
}

}  // namespace heddle::toy
