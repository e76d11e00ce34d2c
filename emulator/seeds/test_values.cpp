// What frameworks of unit tests print.

#include <heddle/memory_order.h>
#include <heddle/testing.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <tuple>

namespace heddle {
namespace {

/// The value by its name, the names being those of 0, 1, ...
template <typename Enum, std::size_t count>
std::ostream& print(std::ostream& out, Enum value, const std::array<std::string_view, count>& names) {
  const auto number = static_cast<std::size_t>(value);
  return number < count ? out << names[number] : out << number;
}

/// The value by `name`, which is "?" for one that is none.
template <typename Enum>
std::ostream& print_named(std::ostream& out, Enum value, std::string_view name) {
  return name == "?" ? out << static_cast<std::uint64_t>(value) : out << name;
}

auto key(const RacePlace& place) {
  return std::tie(place.object, place.line, place.other_line);
}

void add_places(const std::vector<DataRace>& races, std::vector<RacePlace>& out) {
  for (const DataRace& race : races) {
    out.push_back({race.object, race.first.where.line, race.second.where.line});
    for (const RacedObject& other : race.other_objects)
      out.push_back({other.name, race.first.where.line, race.second.where.line});
    add_places(race.related, out);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, FindingKind kind) {
  return print_named(out, kind, name_of(kind));
}
std::ostream& operator<<(std::ostream& out, Scope scope) {
  return print_named(out, scope, name_of(scope));
}
std::ostream& operator<<(std::ostream& out, StorageClass storage_class) {
  return print_named(out, storage_class, name_of(storage_class));
}

std::ostream& operator<<(std::ostream& out, MemorySemantics semantics) {
  using enum MemorySemantics;
  constexpr std::array kNames = {std::pair(Acquire, "Acquire"),
                                 std::pair(Release, "Release"),
                                 std::pair(AcquireRelease, "AcquireRelease"),
                                 std::pair(SequentiallyConsistent, "SequentiallyConsistent"),
                                 std::pair(UniformMemory, "UniformMemory"),
                                 std::pair(SubgroupMemory, "SubgroupMemory"),
                                 std::pair(WorkgroupMemory, "WorkgroupMemory"),
                                 std::pair(CrossWorkgroupMemory, "CrossWorkgroupMemory"),
                                 std::pair(AtomicCounterMemory, "AtomicCounterMemory"),
                                 std::pair(ImageMemory, "ImageMemory"),
                                 std::pair(OutputMemory, "OutputMemory"),
                                 std::pair(MakeAvailable, "MakeAvailable"),
                                 std::pair(MakeVisible, "MakeVisible"),
                                 std::pair(Volatile, "Volatile")};
  auto rest = static_cast<std::uint32_t>(semantics);
  if (rest == 0) return out << "None";
  std::string_view between;
  for (const auto& [bit, name] : kNames) {
    if ((rest & static_cast<std::uint32_t>(bit)) == 0) continue;
    rest &= ~static_cast<std::uint32_t>(bit);
    out << std::exchange(between, "|") << name;
  }
  return rest == 0 ? out : out << between << fmt::format("{:#x}", rest);
}

std::ostream& operator<<(std::ostream& out, MemoryOrder order) {
  return print<MemoryOrder, 7>(out, order,
                               {"NotAtomic", "Relaxed", "Consume", "Acquire", "Release", "AcqRel", "SeqCst"});
}
std::ostream& operator<<(std::ostream& out, OperationKind kind) {
  return print<OperationKind, 15>(
      out, kind,
      {"Read", "Write", "ReadModifyWrite", "MemoryBarrier", "ControlBarrier", "DeviceAvailability", "DeviceVisibility",
       "HostAvailability", "HostVisibility", "HostToDeviceDomain", "DeviceToHostDomain", "BeginInvocationInterlock",
       "EndInvocationInterlock", "ShaderCall", "Free"});
}
std::ostream& operator<<(std::ostream& out, ImageDim dim) {
  return print<ImageDim, 5>(out, dim, {"Dim1D", "Dim2D", "Dim3D", "Dim1DArray", "Dim2DArray"});
}
std::ostream& operator<<(std::ostream& out, Mode mode) {
  return print<Mode, 2>(out, mode, {"Native", "Emulated"});
}
std::ostream& operator<<(std::ostream& out, LaneMapping mapping) {
  return print<LaneMapping, 2>(out, mapping, {"Linear", "Shuffled"});
}
std::ostream& operator<<(std::ostream& out, WorkgroupOrder order) {
  return print<WorkgroupOrder, 2>(out, order, {"Ascending", "Shuffled"});
}
std::ostream& operator<<(std::ostream& out, Reconvergence rule) {
  return print<Reconvergence, 4>(out, rule, {"Maximal", "Subgroup", "Minimum", "BySeed"});
}
std::ostream& operator<<(std::ostream& out, SameValueWrites called) {
  return print<SameValueWrites, 2>(out, called, {"Race", "Notice"});
}
std::ostream& operator<<(std::ostream& out, ReportFormat format) {
  return print<ReportFormat, 6>(out, format, {"Text", "ColouredText", "Json", "Sarif", "JUnit", "GitHub"});
}
std::ostream& operator<<(std::ostream& out, ChoicePoint point) {
  return print<ChoicePoint, 5>(out, point, {"Workgroup", "Invocation", "Preemption", "LaneMapping", "Memory"});
}

std::ostream& operator<<(std::ostream& out, const Coordinates& coordinates) {
  return out << to_string(coordinates);
}
std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << to_string(finding);
}
std::ostream& operator<<(std::ostream& out, const DataRace& race) {
  return out << to_string(race);
}
std::ostream& operator<<(std::ostream& out, const SeedFailure& failure) {
  return out << to_string(failure);
}
std::ostream& operator<<(std::ostream& out, const SeedReport& report) {
  return out << fmt::format("{} {}, {} failed\n", report.trials, report.trials == 1 ? "trial" : "trials",
                            report.failures.size())
             << report.what();
}

RacePlaces::RacePlaces(std::vector<RacePlace> places) : places_(std::move(places)) {
  for (RacePlace& place : places_)
    if (place.line > place.other_line) std::swap(place.line, place.other_line);
  std::sort(places_.begin(), places_.end(), [](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = [](const auto& a, const auto& b) { return key(a) == key(b); };
  places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
}

bool operator==(const RacePlaces& a, const RacePlaces& b) {
  return std::equal(a.places_.begin(), a.places_.end(), b.places_.begin(), b.places_.end(),
                    [](const auto& x, const auto& y) { return key(x) == key(y); });
}

std::ostream& operator<<(std::ostream& out, const RacePlaces& places) {
  if (places.places().empty()) return out << "no race";
  std::string_view between;
  for (const RacePlace& place : places.places()) {
    out << std::exchange(between, ", ")
        << (place.line == place.other_line
                ? fmt::format("'{}' in line {}", place.object, place.line)
                : fmt::format("'{}' in lines {} and {}", place.object, place.line, place.other_line));
  }
  return out;
}

RacePlaces race_places(const std::vector<DataRace>& races) {
  std::vector<RacePlace> places;
  add_places(races, places);
  return RacePlaces(std::move(places));
}

RacePlaces race_places(const RaceReport& report) {
  return race_places(report.races);
}

}  // namespace heddle
