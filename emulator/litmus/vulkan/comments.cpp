#include "emulator/litmus/vulkan/comments.h"

#include <algorithm>
#include <tuple>

namespace heddle::litmus {
namespace {

/// What a comment may stand beside.
struct Anchor {
  Place place;
  std::size_t thread = 0;
  std::size_t instruction = PlacedComments::kHead;
};

bool is_before(const Place& a, const Place& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

std::vector<Anchor> anchors_of(const Test& test) {
  std::vector<Anchor> anchors;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const Thread& thread = test.threads[t];
    anchors.push_back({thread.place, t});
    for (std::size_t i = 0; i < thread.code.size(); ++i) anchors.push_back({thread.code[i].place, t, i});
  }
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const Anchor& a, const Anchor& b) { return is_before(a.place, b.place); });
  return anchors;
}

std::string in_one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) out += c;
    if (blank && (out.empty() || out.back() != ' ')) out += ' ';
  }
  return out;
}

const PlacedComments::Texts& known_or_none(
    const std::map<std::pair<std::size_t, std::size_t>, PlacedComments::Texts>& all, std::size_t thread,
    std::size_t instruction) {
  static const PlacedComments::Texts none;
  const auto known = all.find({thread, instruction});
  return known == all.end() ? none : known->second;
}

}  // namespace

PlacedComments::PlacedComments(const Test& test) {
  const std::vector<Anchor> anchors = anchors_of(test);
  for (const Comment& comment : test.comments) {
    const std::string text = in_one_line(comment.text);
    const auto next = std::upper_bound(anchors.begin(), anchors.end(), comment.place,
                                       [](const Place& a, const Anchor& b) { return is_before(a, b.place); });
    if (next == anchors.begin()) {
      of_declarations_.push_back(text);
      continue;
    }
    const Anchor& last = *std::prev(next);
    // Behind the code are conditions, which may have comments of their own.
    const bool is_behind = !comment.begins_line && (last.place.line == comment.place.line || next != anchors.end());
    if (is_behind) {
      behind_[{last.thread, last.instruction}].push_back(text);
    } else if (next != anchors.end()) {
      in_front_[{next->thread, next->instruction}].push_back(text);
    } else {
      at_end_.push_back(text);
    }
  }
}

const PlacedComments::Texts& PlacedComments::in_front(std::size_t thread, std::size_t instruction) const {
  return known_or_none(in_front_, thread, instruction);
}

const PlacedComments::Texts& PlacedComments::behind(std::size_t thread, std::size_t instruction) const {
  return known_or_none(behind_, thread, instruction);
}

}  // namespace heddle::litmus
