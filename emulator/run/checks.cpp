#include "emulator/run/checks.h"

#include <fmt/format.h>
#include <heddle/detail/check.h>

#include <algorithm>

#include "emulator/run/course.h"

namespace heddle::run {
namespace {

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
  if (object.initialized) {
    begun.initialized.mark_all();
  } else {
    begun.initialized.track(object.size_bytes);
  }
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
  const bool freed = allocations_[static_cast<std::size_t>(bytes.allocation)].freed;
  const CheckedAccess access{freed, is_aligned(bytes), bytes.offset_bytes, bytes.size_bytes, object.size_bytes};
  const std::optional<FindingKind> fault = fault_of(access);
  if (fault) note(*fault, fault_text(*fault, access, words_of(operation)), operation);
  return !fault;
}

void Checks::reads(const Operation& operation) {
  const Locations& bytes = operation.locations;
  const detail::InitializedBytes& initialized = allocations_[static_cast<std::size_t>(bytes.allocation)].initialized;
  const std::uint64_t missing = initialized.first_missing(bytes.offset_bytes, bytes.size_bytes, nullptr);
  if (missing == bytes.size_bytes) return;
  const SourceLocation& where = operation.where;
  if (!missed_.insert({where.file, where.function, where.line, setting_.objects.of(bytes.allocation)}).second) return;
  const AccessWords words = words_of(operation);
  note(FindingKind::UninitializedRead,
       never_written_text(missing, words.element + " of " + words.object, Writers::Others), operation);
}

void Checks::writes(const Operation& operation) {
  const Locations& bytes = operation.locations;
  allocations_[static_cast<std::size_t>(bytes.allocation)].initialized.mark(bytes.offset_bytes, bytes.size_bytes);
}

void Checks::stands_still(const std::vector<Stand>& all) {
  const auto waiting = std::find_if(all.begin(), all.end(), [](const Stand& one) { return one.waits; });
  const auto spinning = std::find_if(all.begin(), all.end(), [](const Stand& one) { return one.spins; });
  if (waiting == all.end() && spinning == all.end()) return;
  const Stand& first = waiting != all.end() ? *waiting : *spinning;
  std::string message = waiting != all.end() ? workgroup_text(first.agent) + " do not all come to the same barrier: "
                                             : std::string(kNobodyGoesOn);
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

AccessWords Checks::words_of(const Operation& operation) const {
  const Locations& bytes = operation.locations;
  const Object& object = setting_.objects[setting_.objects.of(bytes.allocation)];
  return {fmt::format("element {}", bytes.offset_bytes / object.element_bytes),
          fmt::format("{} '{}'", name_of(object.storage_class), object.name),
          std::min<std::uint64_t>(bytes.size_bytes, kPieceBytes)};
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
