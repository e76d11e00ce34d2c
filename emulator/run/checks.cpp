#include "emulator/run/checks.h"

#include <fmt/format.h>
#include <heddle/detail/check.h>

#include <algorithm>

namespace heddle::run {
namespace {

// The memory takes pieces of eight bytes that begin at a multiple of eight, and parts of them.
constexpr std::uint64_t kPieceBytes = 8;

bool is_aligned(const Locations& bytes) {
  const std::uint32_t size = bytes.size_bytes;
  const bool is_power = (size & (size - 1)) == 0;
  return is_power ? bytes.offset_bytes % size == 0
                  : bytes.offset_bytes / kPieceBytes == (bytes.offset_bytes + size - 1) / kPieceBytes;
}

std::string spelled(const uvec3& v) {
  return fmt::format("({},{},{})", v.x, v.y, v.z);
}

std::string place_text(const SourceLocation& where) {
  return where.file[0] == '\0' ? fmt::format("line {}", where.line) : fmt::format("{}:{}", where.file, where.line);
}

bool is_same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && std::string_view(a.file) == b.file;
}

}  // namespace

Checks::Checks(const Setting& setting, const trace::Instructions& instructions)
    : setting_(setting), instructions_(instructions), allocations_(setting.objects.allocations()) {}

void Checks::restart() {
  findings_.clear();
  missed_.clear();
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    const auto id = static_cast<AllocationId>(i);
    const bool waits_for_workgroup =
        setting_.objects[setting_.objects.of(id)].of_workgroup && !setting_.dispatches.empty();
    if (waits_for_workgroup) {
      allocations_[i].freed = true;
    } else {
      begin(id);
    }
  }
}

void Checks::begin(AllocationId allocation) {
  const Object& object = setting_.objects[setting_.objects.of(allocation)];
  Allocation& begun = allocations_[static_cast<std::size_t>(allocation)];
  begun.freed = false;
  begun.written.assign(object.initialized ? 0 : object.size_bytes, false);
}

void Checks::begins(std::uint32_t workgroup) {
  for (std::uint32_t i = 0; i < setting_.objects.count(); ++i) {
    const auto object = static_cast<ObjectId>(i);
    if (setting_.objects[object].of_workgroup) begin(setting_.objects.allocation(object, workgroup));
  }
}

void Checks::ends(std::uint32_t workgroup) {
  for (std::uint32_t i = 0; i < setting_.objects.count(); ++i) {
    const auto object = static_cast<ObjectId>(i);
    if (setting_.objects[object].of_workgroup) frees(setting_.objects.allocation(object, workgroup));
  }
}

bool Checks::allows(const Operation& operation) {
  if (!operation.is_access()) return true;
  const Locations& bytes = operation.locations;
  HEDDLE_CHECK(static_cast<std::uint32_t>(bytes.allocation) < allocations_.size(),
               "a front end accesses an allocation that no object of its setting is");
  const Object& object = setting_.objects[setting_.objects.of(bytes.allocation)];
  const std::size_t before = findings_.size();
  if (allocations_[static_cast<std::size_t>(bytes.allocation)].freed) {
    note(FindingKind::UseAfterFree,
         fmt::format("{} of {}, which was freed", element_text(operation), object_text(object)), operation);
  } else if (bytes.offset_bytes > object.size_bytes || bytes.size_bytes > object.size_bytes - bytes.offset_bytes) {
    note(FindingKind::OutOfBounds,
         fmt::format("bytes {} to {} of {}, which has {}", bytes.offset_bytes,
                     bytes.offset_bytes + bytes.size_bytes - 1, object_text(object), object.size_bytes),
         operation);
  } else if (!is_aligned(bytes)) {
    note(FindingKind::Misaligned,
         fmt::format("byte {} of {} is not at a multiple of {} bytes", bytes.offset_bytes, object_text(object),
                     std::min<std::uint64_t>(bytes.size_bytes, kPieceBytes)),
         operation);
  }
  return findings_.size() == before;
}

void Checks::reads(const Operation& operation) {
  const Locations& bytes = operation.locations;
  const std::vector<bool>& written = allocations_[static_cast<std::size_t>(bytes.allocation)].written;
  if (written.empty()) return;
  const auto first = written.begin() + static_cast<std::ptrdiff_t>(bytes.offset_bytes);
  const auto missing = std::find(first, first + bytes.size_bytes, false);
  if (missing == first + bytes.size_bytes) return;
  const ObjectId id = setting_.objects.of(bytes.allocation);
  const SourceLocation& where = operation.where;
  if (!missed_.insert({where.file, where.function, where.line, id}).second) return;
  note(FindingKind::UninitializedRead,
       fmt::format("byte {} of {} of {} was never written until now: if another invocation writes it, this one has to "
                   "wait for that",
                   missing - first, element_text(operation), object_text(setting_.objects[id])),
       operation);
}

void Checks::writes(const Operation& operation) {
  const Locations& bytes = operation.locations;
  std::vector<bool>& written = allocations_[static_cast<std::size_t>(bytes.allocation)].written;
  if (written.empty()) return;
  std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(bytes.offset_bytes), bytes.size_bytes, true);
}

void Checks::stands_still(const std::vector<Stand>& all) {
  const auto waiting = std::find_if(all.begin(), all.end(), [](const Stand& one) { return one.waits; });
  const auto spinning = std::find_if(all.begin(), all.end(), [](const Stand& one) { return one.spins; });
  if (waiting == all.end() && spinning == all.end()) return;
  const Stand& first = waiting != all.end() ? *waiting : *spinning;
  std::string message =
      waiting != all.end()
          ? workgroup_text(first.agent) + " do not all come to the same barrier: "
          : "every invocation that can go on reads the same again and again, and no invocation writes anything else: ";
  Operation at;
  at.kind = OperationKind::ControlBarrier;
  at.agent = first.agent;
  at.where = first.where;
  note(waiting != all.end() ? FindingKind::BarrierDivergence : FindingKind::NoProgress,
       std::move(message) + census(all) + '.', at);
}

void Checks::note(FindingKind kind, std::string message, const Operation& operation) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.where = instructions_.place_of(operation.where);
  if (const std::optional<Coordinates> known = coordinates_of(setting_, operation.agent)) finding.invocation = *known;
  if (operation.is_access()) {
    const Object& object = setting_.objects[setting_.objects.of(operation.locations.allocation)];
    finding.object = object.name;
    finding.index = operation.locations.offset_bytes / object.element_bytes;
  }
  findings_.push_back(std::move(finding));
}

std::string Checks::object_text(const Object& object) const {
  return fmt::format("{} '{}'", name_of(object.storage_class), object.name);
}

std::string Checks::element_text(const Operation& operation) const {
  const Object& object = setting_.objects[setting_.objects.of(operation.locations.allocation)];
  return fmt::format("element {}", operation.locations.offset_bytes / object.element_bytes);
}

std::string Checks::workgroup_text(AgentId agent) const {
  const std::optional<Coordinates> known = coordinates_of(setting_, agent);
  return known ? "the invocations of workgroup " + spelled(known->workgroup) : std::string("the invocations");
}

std::string Checks::census(const std::vector<Stand>& all) const {
  struct Row {
    const Stand* first;
    std::uint32_t count;
  };
  std::vector<Row> rows;
  for (const Stand& one : all) {
    if (!one.finished && !one.waits && !one.spins) continue;
    const auto like = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.first->finished == one.finished && row.first->waits == one.waits &&
             (one.finished || is_same_place(row.first->where, one.where));
    });
    if (like != rows.end()) {
      ++like->count;
    } else {
      rows.push_back({&one, 1});
    }
  }
  std::string text;
  for (const Row& row : rows) {
    const bool many = row.count > 1;
    text += fmt::format("{}{} {} ", text.empty() ? "" : "; ", row.count, many ? "invocations" : "invocation");
    if (row.first->finished) {
      text += "finished";
      continue;
    }
    text += fmt::format("{}{} at {}", row.first->waits ? "wait" : "spin", many ? "" : "s",
                        place_text(instructions_.place_of(row.first->where)));
  }
  return text;
}

}  // namespace heddle::run
