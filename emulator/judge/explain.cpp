#include <string>

#include "emulator/judge/judgement.h"

namespace heddle::judge {
namespace {

std::string list(const std::vector<model::OperationIndex>& operations, const NameOfOperation& name_of,
                 const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < operations.size(); ++i) text += (i == 0 ? "" : separator) + name_of(operations[i]);
  return text;
}

std::string domain_name(const OrderReason& reason) {
  return reason.domain ? std::string(name(*reason.domain)) + " domain" : "domain";
}

}  // namespace

std::string explain(const OrderReason& reason, const NameOfOperation& name_of) {
  const std::string x = name_of(reason.through.front());
  const std::string y = name_of(reason.through.back());
  const std::string made_available =
      x + " is made available to the " + domain_name(reason) + " by " + list(reason.availability, name_of, ", then ");
  switch (reason.bullet) {
    case Bullet::SameAgentAndReference:
      return x + " happens-before " + y + ", by the same agent through the same reference";
    case Bullet::NonPrivateRead:
      return "the read " + x + " happens-before " + y + ", and both are non-private";
    case Bullet::SystemSynchronizedRead:
      return "the read " + x + " is system-synchronized-before " + y;
    case Bullet::AvailableToWrite:
    case Bullet::DomainsToWrite:
      return made_available + ", which happens-before " + y;
    case Bullet::AvailableAndVisibleToRead:
    case Bullet::DomainsToRead:
      return made_available + ", and made visible to " + y + " by " + list(reason.visibility, name_of, ", then ");
    case Bullet::TessellationOutput:
      return "a control barrier stands between the tessellation output " + x + " and " + y;
    case Bullet::ShaderInput:
      return x + " is the shader output that the input " + y + " comes from";
  }
  return "";
}

std::string explain(const MissingReason& reason, const NameOfOperation& name_of) {
  const std::string x = name_of(reason.from);
  const std::string y = name_of(reason.to);
  const std::string culprits = list(reason.culprits, name_of, " and ");
  switch (reason.link) {
    case MissingLink::NoSynchronization:
      return "no synchronization: nothing makes " + x + " happen-before " + y;
    case MissingLink::ScopesDoNotIncludeEachOther:
      return "scopes do not include each other: " + culprits + " would order " + x + " before " + y +
             " with wider scopes";
    case MissingLink::StorageClassMissing:
      return "storage class missing in a mask: " + culprits + " would order " + x + " before " + y +
             " with more storage classes";
    case MissingLink::PrivateAccess:
      return "private access: " + x + " happens-before " + y + ", but " + culprits +
             (reason.culprits.size() == 1 ? " is" : " are") + " private";
    case MissingLink::NeverMadeAvailable:
      if (!reason.lacking.empty())
        return "never made available: " + x + " happens-before " + y + ", but " +
               list(reason.lacking, name_of, " and ") + (reason.lacking.size() == 1 ? " does" : " do") +
               " not hand it on: MakeAvailable is missing there";
      return "never made available: " + x + " happens-before " + y + ", but no availability operation includes " + x +
             " on the way" +
             (culprits.empty() ? ""
                               : "; that of " + culprits + " stands before what " + culprits +
                                     " acquires: an acquire and a release behind it would hand " + x + " on");
    case MissingLink::NeverMadeVisible:
      if (!reason.lacking.empty())
        return "never made visible: " + x + " is available before " + y + ", but " +
               list(reason.lacking, name_of, " and ") + (reason.lacking.size() == 1 ? " does" : " do") +
               " not hand it on: MakeVisible is missing there";
      return "never made visible: " + x + " is available before " + y + ", but no visibility operation includes " + y +
             " after that" +
             (culprits.empty() ? ""
                               : "; that of " + culprits + " stands behind what " + culprits +
                                     " releases: an acquire and a release behind it would hand " + x + " on");
    case MissingLink::IncompatibleTags:
      return "incompatible tags: " + culprits + " would order " + x + " before " + y + " without " +
             (reason.culprits.size() == 1 ? "its" : "their") + " tags";
    case MissingLink::AnotherReference:
      return "another reference: " + x + " happens-before " + y +
             ", but they name the memory through different references";
  }
  return "";
}

std::string explain(const Violation& violation, const NameOfOperation& name_of) {
  std::string text;
  switch (violation.axiom) {
    case Axiom::Acyclicity:
      text = "a cycle: ";
      break;
    case Axiom::ReadsHiddenWrite:
      text = "a non-atomic read of a hidden write: ";
      break;
    case Axiom::Atomicity:
      text = "a write within a read-modify-write: ";
      break;
    case Axiom::SystemSynchronizationOrder:
      text = "an impossible schedule: ";
      break;
  }
  for (const CycleStep& step : violation.cycle)
    text += name_of(step.from) + (step.reversed ? " <-" : " -") + std::string(name(step.relation)) +
            (step.reversed ? "- " : "-> ");
  return violation.cycle.empty() ? text : text + name_of(violation.cycle.front().from);
}

}  // namespace heddle::judge
