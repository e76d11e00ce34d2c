#include "emulator/seeds/configurations.h"

#include <algorithm>
#include <sstream>

namespace heddle::seeds {

std::vector<std::string> words_of(const Configuration& configuration) {
  std::istringstream in(to_string(configuration));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Configuration configuration_with(const Configuration& configuration, const std::string& word) {
  return configuration_of(to_string(configuration) + ' ' + word);
}

std::string unusual_words(const Configuration& configuration, const Sweep& sweep) {
  const std::vector<std::string> plain = words_of(sweep.at(1));
  std::string out;
  for (const std::string& word : words_of(configuration))
    if (std::find(plain.begin(), plain.end(), word) == plain.end()) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace heddle::seeds
