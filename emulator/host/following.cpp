#include "emulator/host/following.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "emulator/host/complaints.h"
#include "emulator/report/source_text.h"
#include "runtime/text/readable.h"

namespace heddle::emulation {

using detail::Twin;

namespace {

std::string described(const UndefinedResult& result) {
  return fmt::format("{} from lane {}, which is not active, at {}", result.operation,
                     static_cast<std::int32_t>(result.source), report::place(result.where));
}

std::string spelled(Twin::Difference difference, const Access& access) {
  if (difference == Twin::Difference::Course) return "which access comes next";
  if (difference == Twin::Difference::Place) return "which element of " + object_of(access) + " is accessed";
  return "an atomic of " + object_of(access);
}

/// What there is to be compared of two findings. (What a kernel says of a requirement it may make of any value.)
std::uint64_t number_of(const Finding& finding) {
  const std::string text = fmt::format("{} {} {}", name_of(finding.kind), to_string(finding.invocation),
                                       finding.kind == FindingKind::RequirementFailed ? "" : finding.message);
  return Following::hashed(text.data(), static_cast<std::uint32_t>(text.size()), nullptr);
}

std::string decided_by(const Finding& finding) {
  return finding.object.empty() ? "what happens here"
                                : fmt::format("this access of '{}'", text::readable(finding.object));
}

/// Where a value comes from that an invocation has whose last undefined result is `own`, if it was given one, while the
/// last one of all is `last`.
std::string origin_of(const UndefinedResult* own, const std::pair<Coordinates, UndefinedResult>& last) {
  if (own) return "the last undefined result that this invocation was given is that of " + described(*own);
  return fmt::format("the last undefined result of another invocation ({}) is that of {}", to_string(last.first),
                     described(last.second));
}

}  // namespace

void Following::begin(std::uint64_t seed) {
  twin_.give_up();
  has_begun_ = false;
  seed_ = seed;
  made_ = 0;
  results_.clear();
  last_.reset();
  left_.clear();
}

bool Following::make(const Agent& agent, const UndefinedResult& result, void* value, std::uint32_t size_bytes) {
  if (!std::exchange(has_begun_, true)) twin_.begin();
  twin_.draw(seed_, made_++, {static_cast<std::byte*>(value), size_bytes});
  if (!twin_.runs()) return false;
  last_ = {agent.resident->emulator->coordinates(agent.id), result};
  results_.insert_or_assign(agent.id, *last_);
  return true;
}

std::string Following::origin(AgentId agent) const {
  const auto own = results_.find(agent);
  return origin_of(own == results_.end() ? nullptr : &own->second.second, *last_);
}

std::string Following::origin(const Coordinates& invocation) const {
  const auto own = std::find_if(results_.begin(), results_.end(),
                                [&](const auto& result) { return result.second.first.global == invocation.global; });
  return origin_of(own == results_.end() ? nullptr : &own->second.second, *last_);
}

void Following::follow(const Agent& agent, const Access& access, Twin::Event event, std::uint64_t value) {
  const Operation& operation = access.operation;
  const Locations& bytes = operation.locations;
  const Twin::Difference difference =
      twin_.take({agent.id, operation.where.line, bytes.allocation, event, bytes.offset_bytes, value});
  if (difference == Twin::Difference::Value && event == Twin::Event::Write) return note_write(agent, access, true);
  if (difference != Twin::Difference::None)
    complain_of_undefined(agent, &access, spelled(difference, access), origin(agent.id), operation.where);
  if (event != Twin::Event::Read && !left_.empty()) note_write(agent, access, false);
}

void Following::write(const Agent& agent, const Access& access, std::uint64_t value) {
  follow(agent, access, Twin::Event::Write, value);
}

void Following::condition(const Agent& agent, bool holds, const SourceLocation& where) {
  const Twin::Difference difference =
      twin_.take({agent.id, where.line, {}, Twin::Event::Condition, 0, holds ? std::uint64_t{1} : 0});
  if (difference != Twin::Difference::None)
    complain_of_undefined(agent, nullptr, "whether this requirement holds", origin(agent.id), where);
}

void Following::note_write(const Agent& agent, const Access& access, bool depends) {
  detail::Allocation* const allocation = access.binding->allocation;
  const std::uint64_t begin = access.operation.locations.offset_bytes;
  left_.erase(left_.lower_bound({allocation, begin}), left_.lower_bound({allocation, begin + access.size_bytes()}));
  if (!depends || access.binding->storage_class == StorageClass::Workgroup) return;
  Finding finding =
      undefined_finding(agent, &access, object_of(access) + ", where the host or another dispatch reads it,",
                        origin(agent.id), access.operation.where);
  left_.insert({{allocation, begin}, {access.binding, access.size_bytes(), std::move(finding)}});
}

void Following::fails() {
  if (twin_.is_second()) twin_.second_ends(Twin::End::Unknown);
  left_.clear();
  twin_.give_up();
}

void Following::fails_by(Finding& finding) {
  if (!twin_.runs() || finding.kind == FindingKind::UndefinedValue) return fails();
  const Twin::Difference difference =
      twin_.take({{}, finding.where.line, {}, Twin::Event::Fault, 0, number_of(finding)});
  if (twin_.is_second()) twin_.second_ends(Twin::End::Failed);
  if (difference != Twin::Difference::None) {
    finding.message =
        fmt::format("{} depends on an undefined value: {}; with the value that was drawn here, {}: {}",
                    decided_by(finding), origin(finding.invocation), name_of(finding.kind), finding.message);
    finding.kind = FindingKind::UndefinedValue;
  }
  fails();
}

std::optional<Finding> Following::end() {
  if (twin_.is_second()) twin_.second_ends(Twin::End::Whole);
  for (auto& [place, left] : left_) {
    const auto& [allocation, offset] = place;
    if (!allocation->freed)
      allocation->note_undefined({offset, left.size_bytes, std::make_shared<const Finding>(std::move(left.finding))});
  }
  left_.clear();
  if (!twin_.runs() || twin_.ends()) return {};
  Finding finding;
  finding.kind = FindingKind::UndefinedValue;
  finding.message =
      "that the dispatch ends without another access depends on an undefined value: the last undefined result is "
      "that of " +
      described(last_->second);
  finding.invocation = last_->first;
  finding.where = last_->second.where;
  return finding;
}

std::uint64_t Following::hashed(const void* value, std::uint32_t size_bytes, const unsigned char* value_bytes,
                                std::uint64_t before) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  for (std::uint32_t i = 0; i < size_bytes; ++i) {
    if (value_bytes && value_bytes[i] == 0) continue;
    before = (before ^ static_cast<const unsigned char*>(value)[i]) * kPrime;
  }
  return before;
}

bool make_undefined(Emulator& emulator, const Agent& agent, const UndefinedResult& result, void* value,
                    std::uint32_t size_bytes) {
  if (emulator.device.parallel) return false;
  if (emulator.device.options.undefined != UndefinedValues::Zero)
    return emulator.make_undefined(agent, result, value, size_bytes);
  std::memset(value, 0, size_bytes);
  return false;
}

void follow_condition(Emulator& emulator, const Agent& agent, bool holds, const SourceLocation& where) {
  emulator.following().condition(agent, holds, where);
}

bool Emulator::make_undefined(const Agent& agent, const UndefinedResult& result, void* value,
                              std::uint32_t size_bytes) {
  const bool is_followed = following_->make(agent, result, value, size_bytes);
  if (is_followed != follows_undefined) {
    follows_undefined = is_followed;
    if (!looks_for_standstill_) hear_as_usual();
  }
  return is_followed;
}

}  // namespace heddle::emulation
