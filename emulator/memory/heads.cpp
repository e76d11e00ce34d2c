// What releases tell: snapshots of what agents know, and the heads that atomics carry.

#include <algorithm>

#include "emulator/memory/synchronization.h"

namespace heddle::memory {

SnapshotHandle::SnapshotHandle(Snapshot* snapshot) : snapshot_(snapshot) {
  if (snapshot_) ++snapshot_->references;
}

SnapshotHandle::~SnapshotHandle() {
  if (snapshot_ && --snapshot_->references == 0) snapshot_->home->free_.push_back(snapshot_);
}

const Knowledge& SnapshotHandle::operator*() const {
  return snapshot_->knowledge;
}
Knowledge& SnapshotHandle::operator*() {
  return snapshot_->knowledge;
}

SnapshotHandle SnapshotHandle::copy() const {
  SnapshotHandle made = snapshot_->home->make();
  *made = snapshot_->knowledge;
  return made;
}

SnapshotHandle SnapshotPool::make() {
  if (free_.empty()) {
    all_.emplace_back();
    all_.back().home = this;
    free_.push_back(&all_.back());
  }
  Snapshot* made = free_.back();
  free_.pop_back();
  return SnapshotHandle(made);
}

void SnapshotPool::merge_slots(std::uint32_t epoch) {
  for (Snapshot& snapshot : all_) snapshot.knowledge.merge_slots(epoch);
}

namespace {

// Whether nobody outside of their instance of the scope tells two places apart.
bool share_instance(model::Place a, model::Place b, Scope instance) {
  a.subgroup = b.subgroup;
  if (instance != Scope::Workgroup) a.workgroup = b.workgroup;
  return a == b;
}

}  // namespace

// More order than there is, for who acquires in a scope that is narrower than the instance.
void merge(std::vector<Head>& heads, Scope instance) {
  for (std::size_t i = 0; i < heads.size(); ++i) {
    Head& all = heads[i];
    if (!includes(all.scope, instance) || !includes(all.atomic_scope, instance)) continue;
    for (std::size_t j = i + 1; j < heads.size();) {
      const Head& one = heads[j];
      if (!all.is_alike(one) || !share_instance(all.place, one.place, instance)) {
        ++j;
        continue;
      }
      // What others have of the first one stays as it is.
      SnapshotHandle known = all.known.copy();
      (*known).join_all(*one.known);
      all.known = std::move(known);
      all.agent = kNobody;
      all.of_several = instance;
      all.of_one = false;
      all.number = std::max(all.number, one.number);
      heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

}  // namespace heddle::memory
