// MP: P0 writes data, then a flag; P1 looks at the flag, then at the data. Only executions in which
// it saw the flag are looked at.
//
// Reasoning. The data is handed over if all of these hold, and each mutant breaks one of them:
//  1. there is a synchronizes-with edge: a release (operation or fence) before the flag is written,
//  an
//     acquire where or after it is read, both ends inside each other's scope instance, the flag's
//     storage class in the masks of fences;
//  2. the edge is one for the data's storage class: it is in the masks of both ends;
//  3. both data accesses are non-private;
//  4. the data is made available to a domain that both agents share, before the release or by it;
//  5. it is made visible from that domain, after the acquire or by it.
// Then the only value is the new one: one execution, no race. If one is broken nothing orders the
// two data accesses: both values, two executions, a race. Where the flag's accesses are outside
// each other's scope they race themselves, with the same outcomes.

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

enum class Style { AtomicAtomic, FenceFence, FenceAtomic, AtomicFence };
enum class Handing { Flags, PerInstruction };

struct Setting {
  std::string placement;  // the narrowest scope that P0 and P1 share
  std::string scope;      // of everything that has one
  Where other;            // where P1 is; P0 is at 0, 0, 0
  std::string narrower;   // a scope that does not contain both; none if empty
};

const Setting kSettings[] = {{"sg", "sg", {0, 0, 0}, ""},
                             {"wg", "wg", {1, 0, 0}, "sg"},
                             {"qf", "qf", {0, 1, 0}, "wg"},
                             {"dv", "dv", {0, 0, 1}, "qf"},
                             {"wg", "dv", {1, 0, 0}, "sg"}};

/// What may go wrong.
enum class Bug {
  None,
  NoRelease,
  NoAcquire,
  ReleaseMask,
  AcquireMask,
  DataClass,
  FlagClass,
  PrivateWrite,
  PrivateRead,
  NoAvailability,
  NoVisibility,
  NarrowRelease,
  NarrowAcquire,
  NarrowAvailability,
  NarrowVisibility,
};

struct BugText {
  Bug bug;
  const char* name;
  const char* clause;
  const char* reason;
};

const BugText kBugs[] = {
    {Bug::None, "", "vk:memory-model-synchronizes-with",
     "release and acquire synchronize, the data is made available and visible in a shared domain"},
    {Bug::NoRelease, "+norel", "vk:memory-model-memory-semantics",
     "without a release nothing synchronizes-with the acquire"},
    {Bug::NoAcquire, "+noacq", "vk:memory-model-memory-semantics",
     "without an acquire the release synchronizes-with nothing"},
    {Bug::ReleaseMask, "+relmask", "vk:memory-model-inter-thread-happens-before",
     "the release orders another storage class than the data's"},
    {Bug::AcquireMask, "+acqmask", "vk:memory-model-inter-thread-happens-before",
     "the acquire orders another storage class than the data's"},
    {Bug::DataClass, "+dataclass", "vk:memory-model-inter-thread-happens-before",
     "the data is in a storage class that neither end has in its mask"},
    {Bug::FlagClass, "+flagclass", "vk:memory-model-synchronizes-with",
     "a fence synchronizes only through atomics whose storage class is in its mask"},
    {Bug::PrivateWrite, "+privw", "vk:memory-model-non-private",
     "a private write is not ordered between agents by shader synchronization"},
    {Bug::PrivateRead, "+privr", "vk:memory-model-non-private",
     "a private read is not ordered between agents by shader synchronization"},
    {Bug::NoAvailability, "+noav", "vk:memory-model-availability-visibility",
     "the write is never made available to a domain that the reader shares"},
    {Bug::NoVisibility, "+novis", "vk:memory-model-availability-visibility",
     "the write is never made visible to the reader"},
    {Bug::NarrowRelease, "+narrowrel", "vk:memory-model-scope",
     "the releasing side's scope instance does not contain the reader"},
    {Bug::NarrowAcquire, "+narrowacq", "vk:memory-model-scope",
     "the acquiring side's scope instance does not contain the writer"},
    {Bug::NarrowAvailability, "+narrowav", "vk:memory-model-instruction-av-vis",
     "the write is made available to a domain that the reader does not share"},
    {Bug::NarrowVisibility, "+narrowvis", "vk:memory-model-instruction-av-vis",
     "the read looks into a domain that the writer does not share"},
};

bool release_is_fence(Style style) {
  return style == Style::FenceFence || style == Style::FenceAtomic;
}
bool acquire_is_fence(Style style) {
  return style == Style::FenceFence || style == Style::AtomicFence;
}

bool applies(Bug bug, Style style, Handing handing, const Setting& setting) {
  switch (bug) {
    case Bug::PrivateWrite:
    case Bug::PrivateRead:
      return handing == Handing::Flags;
    case Bug::FlagClass:
      return style != Style::AtomicAtomic;
    case Bug::NarrowRelease:
    case Bug::NarrowAcquire:
      return !setting.narrower.empty();
    case Bug::NarrowAvailability:
    case Bug::NarrowVisibility:
      return handing == Handing::PerInstruction && !setting.narrower.empty();
    default:
      return true;
  }
}

std::string writer_data(Bug bug, Handing handing, const Setting& setting) {
  const std::string data_class = bug == Bug::DataClass ? "sc1" : "sc0";
  if (bug == Bug::PrivateWrite) return "st." + data_class + " data, 1";
  if (handing == Handing::Flags || bug == Bug::NoAvailability) {
    return "st.nonpriv." + data_class + " data, 1";
  }
  const std::string scope = bug == Bug::NarrowAvailability ? setting.narrower : setting.scope;
  return "st.av." + scope + '.' + data_class + " data, 1";
}

std::string reader_data(Bug bug, Handing handing, const Setting& setting) {
  const std::string data_class = bug == Bug::DataClass ? "sc1" : "sc0";
  if (bug == Bug::PrivateRead) return "ld." + data_class + " r1, data";
  if (handing == Handing::Flags || bug == Bug::NoVisibility) {
    return "ld.nonpriv." + data_class + " r1, data";
  }
  const std::string scope = bug == Bug::NarrowVisibility ? setting.narrower : setting.scope;
  return "ld.vis." + scope + '.' + data_class + " r1, data";
}

ThreadText writer(Bug bug, Style style, Handing handing, const Setting& setting) {
  const std::string scope = bug == Bug::NarrowRelease ? setting.narrower : setting.scope;
  const std::string flag_class = bug == Bug::FlagClass ? "sc1" : "sc0";
  std::string semantics = bug == Bug::ReleaseMask ? ".semsc1" : ".semsc0";
  if (handing == Handing::Flags && bug != Bug::NoAvailability) semantics += ".semav";
  ThreadText out;
  out.code.push_back(writer_data(bug, handing, setting));
  if (release_is_fence(style)) {
    if (bug != Bug::NoRelease) out.code.push_back("membar.rel." + scope + semantics);
    out.code.push_back("st.atom." + setting.scope + '.' + flag_class + " flag, 1");
  } else if (bug == Bug::NoRelease) {
    out.code.push_back("st.atom." + scope + '.' + flag_class + " flag, 1");
  } else {
    out.code.push_back("st.atom.rel." + scope + '.' + flag_class + semantics + " flag, 1");
  }
  return out;
}

ThreadText reader(Bug bug, Style style, Handing handing, const Setting& setting) {
  const std::string scope = bug == Bug::NarrowAcquire ? setting.narrower : setting.scope;
  const std::string flag_class = bug == Bug::FlagClass ? "sc1" : "sc0";
  std::string semantics = bug == Bug::AcquireMask ? ".semsc1" : ".semsc0";
  if (handing == Handing::Flags && bug != Bug::NoVisibility) semantics += ".semvis";
  ThreadText out;
  out.where = setting.other;
  if (acquire_is_fence(style)) {
    out.code.push_back("ld.atom." + setting.scope + '.' + flag_class + " r0, flag");
    if (bug != Bug::NoAcquire) out.code.push_back("membar.acq." + scope + semantics);
  } else if (bug == Bug::NoAcquire) {
    out.code.push_back("ld.atom." + scope + '.' + flag_class + " r0, flag");
  } else {
    out.code.push_back("ld.atom.acq." + scope + '.' + flag_class + semantics + " r0, flag");
  }
  out.code.push_back(reader_data(bug, handing, setting));
  return out;
}

std::string base_name(Style style, Handing handing, const Setting& setting) {
  static const char* const kStyles[] = {"rel-acq", "fence-fence", "fence-acq", "rel-fence"};
  return std::string("MP+") + kStyles[static_cast<int>(style)] + "+" + setting.scope + "-in-" + setting.placement +
         (handing == Handing::Flags ? "+flags" : "+each");
}

LibraryTest make(const BugText& text, Style style, Handing handing, const Setting& setting) {
  const std::string base = base_name(style, handing, setting);
  LibraryTest out;
  out.name = base + text.name;
  out.declarations = {"data=0", "flag=0"};
  out.threads = {writer(text.bug, style, handing, setting), reader(text.bug, style, handing, setting)};
  out.filter = "P1:r0 == 1";
  out.assertion = "exists (P1:r1 == 0)";
  const bool broken = text.bug != Bug::None;
  out.verdict.holds = broken;
  out.verdict.racy = broken;
  out.verdict.executions = broken ? 2 : 1;
  if (broken) out.verdict.outcomes.push_back("P1:r0=1 P1:r1=0");
  out.verdict.outcomes.push_back("P1:r0=1 P1:r1=1");
  out.reason = text.reason;
  out.clause = text.clause;
  out.twin = base + (broken ? "" : "+noacq");
  return out;
}

}  // namespace

Family message_passing() {
  Family out;
  for (const Setting& setting : kSettings) {
    for (const Style style : {Style::AtomicAtomic, Style::FenceFence, Style::FenceAtomic, Style::AtomicFence}) {
      // The mixed styles and the odd placements are there for what is theirs alone.
      const bool mixed = style == Style::FenceAtomic || style == Style::AtomicFence;
      if (mixed && setting.placement != "dv") continue;
      if (style == Style::FenceFence && setting.placement == "qf") continue;
      for (const Handing handing : {Handing::Flags, Handing::PerInstruction}) {
        if (setting.scope != setting.placement && handing == Handing::PerInstruction) continue;
        for (const BugText& bug : kBugs) {
          if (applies(bug.bug, style, handing, setting)) {
            out.push_back(make(bug, style, handing, setting));
          }
        }
      }
    }
  }
  return out;
}

}  // namespace heddle::litmus::library
