#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

#include "emulator/model/tags.h"
#include "tests/explore/script.h"

namespace heddle::explore {
namespace {

std::vector<Operation*> operations_of(ScriptedProgram& program) {
  std::vector<Operation*> all;
  for (Script& script : program.scripts)
    for (Line& line : script) all.push_back(&line.operation);
  return all;
}

}  // namespace

ScriptedProgram with_random_tags(ScriptedProgram program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Operation* op : operations_of(program)) {
    model::TagSet tags;
    if (random() % 2 == 0)
      for (const char* tag : {"foo:a", "foo:b", "bar:a", "bar:b"})
        if (random() % 3 == 0) tags.add(*model::Tag::parse(tag));
    op->tags = model::intern(tags);
  }
  return program;
}

ScriptedProgram with_fewer_tags(ScriptedProgram program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Operation*> all = operations_of(program);
  std::vector<Operation*> tagged;
  std::ranges::copy_if(all, std::back_inserter(tagged),
                       [](const Operation* one) { return one->tags != TagSetId::Empty; });
  if (tagged.empty()) return program;
  Operation& one = *tagged[random() % tagged.size()];
  Operation& other = *all[random() % all.size()];
  switch (random() % 3) {
    case 0:
      one.tags = TagSetId::Empty;
      break;
    case 1:
      one.tags = model::intern(model::tags_of(one.tags).without("foo"));
      break;
    default:
      one.tags = other.tags = model::intern(model::combined(model::tags_of(one.tags), model::tags_of(other.tags)));
  }
  return program;
}

}  // namespace heddle::explore
