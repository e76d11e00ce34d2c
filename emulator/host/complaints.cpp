#include "emulator/host/complaints.h"
#include "emulator/host/following.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/member_text.h"
#include "emulator/report/source_text.h"
#include "emulator/watch/own_command.h"
#include "emulator/watch/race_watch.h"
#include "runtime/call_stack.h"
#include "runtime/code_line.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle::emulation {

namespace {

Finding made_finding(const Agent& agent, FindingKind kind, std::string message, const Binding* binding,
                     std::uint64_t index, const SourceLocation& where) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.invocation = agent.resident->emulator->coordinates(agent.id);
  finding.where = runtime::source_of(where);
  if (runtime::is_at_declaration(finding.where))
    finding.message +=
        " (this is the line where the variable is declared: where it is used is known of programs with debug "
        "information, -g; inv.load and inv.store always name their line)";
  if (binding) {
    finding.object = binding->name;
    finding.index = index;
  }
  return finding;
}

std::string object(const Binding& binding) {
  return binding.storage_class == StorageClass::Private
             ? text::readable(binding.name)
             : fmt::format("{} '{}'", name_of(binding.storage_class), text::readable(binding.name));
}

/// The element of the whole object; of bytes that stand in front of the elements, 0.
std::uint64_t index_of(const Access& access) {
  const detail::ComponentType& component = access.binding->component;
  const std::uint64_t of_that_size = component.block ? 0 : access.offset_bytes() / access.size_bytes();
  return report::element_at(component, access.offset_bytes()).index.value_or(of_that_size);
}

// "element 3", "element 3, member .prefix,".
std::string element(const Access& access) {
  const report::PlaceOfElement place = report::element_at(access.binding->component, access.offset_bytes());
  const std::string member = place.type.element_bytes == 0
                                 ? std::string()
                                 : report::member_at(place.type, place.offset_bytes, access.size_bytes()).path;
  if (access.binding->component.block && !place.index) return "header" + member;
  return report::element_text(access.binding->component, index_of(access)) +
         (member.empty() ? "" : fmt::format(", member {},", member));
}

}  // namespace

void complain(const Agent& agent, const Access& access) {
  const Binding& binding = *access.binding;
  const run::CheckedAccess as_checked = checked(access);
  const std::optional<FindingKind> fault = run::fault_of(as_checked);
  if (!fault) return;
  const run::AccessWords words{element(access), object(binding), access.alignment_bytes};
  raise(agent, *fault, run::fault_text(*fault, as_checked, words), &binding, index_of(access), access.operation.where);
}

std::string object_of(const Access& access) {
  return element(access) + " of " + object(*access.binding);
}

namespace {

// A missing value in Workgroup memory is mostly a race whose write has not come yet: where races are looked for, the
// dispatch goes on until it has.
void complain_of_uninitialized(const Agent& agent, const Access& access, bool others_may_write, std::string message) {
  const Binding& binding = *access.binding;
  watch::RaceWatch* const watch = others_may_write ? agent.resident->emulator->device.watchers.race_watch() : nullptr;
  if (watch && watch->has_failure()) return;
  Finding finding = made_finding(agent, FindingKind::UninitializedRead, std::move(message), &binding, index_of(access),
                                 access.operation.where);
  if (!watch) runtime::raise(std::move(finding));
  finding.calls = runtime::calls_to(finding.where, runtime::CallStack::here());
  agent.resident->emulator->dispatch_is_wrong(finding);
  watch->fails_in_the_end(std::move(finding));
}

bool others_may_write(const Agent& agent, const Binding& binding) {
  return binding.storage_class == StorageClass::Workgroup && memory_of(agent).invocations.count > 1;
}

}  // namespace

void complain_of_missing(const Agent& agent, const Access& access) {
  const Binding& binding = *access.binding;
  const std::uint64_t missing = binding.allocation->initialized.first_missing(access.operation.locations.offset_bytes,
                                                                              access.size_bytes(), access.value_bytes);
  if (const Finding* const left = binding.allocation->undefined_at(access.operation.locations.offset_bytes + missing))
    raise(agent, FindingKind::UndefinedValue, left->message + "; it was stored at " + report::place(left->where),
          &binding, index_of(access), access.operation.where);
  const bool others = others_may_write(agent, binding);
  complain_of_uninitialized(
      agent, access, others,
      run::never_written_text(missing, object_of(access), others ? run::Writers::OfWorkgroup : run::Writers::Nobody));
}

void complain_of_stale(const Agent& agent, const Access& access, std::uint64_t missing) {
  complain_of_uninitialized(
      agent, access, others_may_write(agent, *access.binding),
      fmt::format("byte {} of {} was never written as far as this read can tell: a write of it was made, and nothing "
                  "makes that available to this read, visible, and happen before it",
                  missing, object_of(access)));
}

Finding undefined_finding(const Agent& agent, const Access* access, const std::string& decided,
                          const std::string& origin, const SourceLocation& where) {
  return made_finding(agent, FindingKind::UndefinedValue,
                      fmt::format("{} depends on an undefined value: {}", decided, origin),
                      access ? access->binding : nullptr, access ? index_of(*access) : 0, where);
}

void complain_of_undefined(const Agent& agent, const Access* access, const std::string& decided,
                           const std::string& origin, const SourceLocation& where) {
  runtime::raise(undefined_finding(agent, access, decided, origin, where));
}

void complain_of_standstill(Emulator& emulator, const Agent& agent, const Access& access) {
  constexpr std::string_view kAllComesAgain =
      "every invocation that can go on does the same again and again, and what it writes comes again as well: ";
  const detail::Standstill& standstill = emulator.standstill();
  raise(
      agent, FindingKind::NoProgress,
      fmt::format("{}{} {}(Loops that come to an end, though they do the same so often, need more no_progress_rounds.)",
                  standstill.has_changes() ? kAllComesAgain : run::kNobodyGoesOn, runtime::who_is_where(),
                  standstill.has_atomics()
                      ? ""
                      : "A plain read need not see what another invocation writes, ever: poll with atomics. "),
      access.binding, index_of(access), access.operation.where);
}

void raise(const Agent& agent, FindingKind kind, std::string message, const Binding* binding, std::uint64_t index,
           SourceLocation where) {
  runtime::raise(made_finding(agent, kind, std::move(message), binding, index, where));
}

namespace {

// "element 7", "element -1 (18446744073709551615 as an unsigned number)". Nothing has more than 2^63 elements: such an
// index was below zero. One of 32 bits that is close to 2^32 may have been, too.
std::string element_at(std::uint64_t index) {
  constexpr std::uint64_t kMost = 1 << 16;
  if (index >> 63 != 0)
    return fmt::format("element {} ({} as an unsigned number)", static_cast<std::int64_t>(index), index);
  const auto narrow = static_cast<std::uint32_t>(index);
  if (index == narrow && index >= (std::uint64_t{1} << 32) - kMost)
    return fmt::format("element {} (as a signed number {})", index, static_cast<std::int32_t>(narrow));
  return fmt::format("element {}", index);
}

// "elements 12 to 15, row 3 where a row has 4": what a part has, in elements of the whole. Of another type than the
// whole it has bytes.
std::string what_is_in_part(const Binding& binding, std::uint64_t size, std::uint64_t element_bytes,
                            std::uint64_t offset_bytes) {
  if (size == 0 || element_bytes != binding.component.element_bytes || offset_bytes % element_bytes != 0)
    return fmt::format("which begins at byte {} and has {}", offset_bytes,
                       runtime::counted(size, "element", "elements"));
  const std::uint64_t first = offset_bytes / element_bytes;
  std::string text = size == 1 ? fmt::format("which has element {}", first)
                               : fmt::format("which has elements {} to {}", first, first + size - 1);
  const std::uint64_t row_bytes = size * element_bytes;
  if (first % size == 0 && binding.size_bytes % row_bytes == 0 && binding.size_bytes != row_bytes)
    text += fmt::format(": row {} where a row has {}", first / size, size);
  return text;
}

}  // namespace

void raise_out_of_bounds(const Agent& agent, const Binding& binding, std::uint64_t index, std::uint64_t size,
                         SourceLocation where) {
  raise(agent, FindingKind::OutOfBounds,
        fmt::format("{} of {}, which has {}", element_at(index), object(binding),
                    runtime::counted(size, "element", "elements")),
        &binding, index, where);
}

namespace {

/// "3,0": so many coordinates as the texels of the image have.
template <typename Vector>
std::string coordinates_of(const Binding& image, const Vector& v, const char* between) {
  std::string text = fmt::format("{}", v.x);
  if (image.component.dimensions > 1) text += fmt::format("{}{}", between, v.y);
  if (image.component.dimensions > 2) text += fmt::format("{}{}", between, v.z);
  return text;
}

}  // namespace

void raise_no_texel(const Agent& agent, const Binding& image, const ivec3& texel, const uvec3& extent,
                    SourceLocation where) {
  raise(agent, FindingKind::OutOfBounds,
        fmt::format("texel ({}) of {}, which has {}", coordinates_of(image, texel, ","), object(image),
                    coordinates_of(image, extent, " x ")),
        &image, 0, where);
}

void raise_outside_part(const Agent& agent, const Binding& binding, std::uint64_t index, std::uint64_t size,
                        std::uint64_t element_bytes, std::uint64_t offset_bytes, SourceLocation where) {
  raise(agent, FindingKind::OutOfBounds,
        fmt::format("{} of a part of {}, {}", element_at(index), object(binding),
                    what_is_in_part(binding, size, element_bytes, offset_bytes)),
        &binding, index, where);
}

void raise_misaligned_view(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                           std::uint64_t alignment_bytes, SourceLocation where) {
  raise(agent, FindingKind::Misaligned,
        fmt::format("a view begins at byte {} of {}, and its elements are to be at multiples of {} bytes", offset_bytes,
                    object(binding), alignment_bytes),
        &binding, binding.component.element_bytes == 0 ? 0 : offset_bytes / binding.component.element_bytes, where);
}

void raise_no_such_part(const Agent& agent, const Binding& binding, std::uint64_t first, std::uint64_t count,
                        std::uint64_t size, SourceLocation where) {
  raise(agent, FindingKind::OutOfBounds,
        fmt::format("a part of {} from element {} on was asked for, of {}, which has {}",
                    runtime::counted(count, "element", "elements"), first, object(binding), size),
        &binding, first, where);
}

namespace {

/// The command that makes an emulated dispatch run as it did.
std::string replay_of(const detail::DeviceState& state) {
  const DeviceOptions& options = state.options;
  return fmt::format("{}{}{}{} (dispatch {} of the device)", watch::InTrial::any() ? "" : "HEDDLE_MODE=emulated ",
                     watch::memory_assignment(*options.memory), watch::layout_assignments(),
                     watch::seed_assignment(state.seed()), state.dispatches - 1);
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

// Undefined values of kernels that run on several cores are not followed.
void Emulator::dispatch_fails(runtime::Failure& failure) {
  if (!device.parallel) {
    if (failure.cut_off || failure.exception) {
      following_->fails();
    } else {
      following_->fails_by(failure.finding);
    }
    follows_undefined = false;
  }
  using How = report::FailedDispatch::How;
  if (!failure.cut_off) return tell_failure(failure.finding, How::EndedEarly);
  device.watchers.flush_trace(false);
  if (device.watchers.looks_for_races())
    device.watchers.fails({How::CutShort, device.dispatches - 1, failure.finding.message, ""});
}

void Emulator::dispatch_is_wrong(Finding& finding) {
  tell_failure(finding, report::FailedDispatch::How::Ended);
}

void Emulator::tell_failure(Finding& finding, report::FailedDispatch::How how) {
  // For a trial the exploration says how it comes again.
  if (device.in_order() && !watch::InTrial::any()) finding.replay = replay_of(device);
  // What led there is in the trace, whether or not the program goes on.
  device.watchers.flush_trace(false);
  if (!device.watchers.looks_for_races()) return;
  const std::string place = finding.where.line == 0 ? "" : " at " + report::place(finding.where);
  device.watchers.fails({how, device.dispatches - 1, std::string(name_of(finding.kind)) + place,
                         on_one_line(finding.message) + "; in " + to_string(finding.invocation)});
}

}  // namespace heddle::emulation
