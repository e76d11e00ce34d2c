#include "emulator/litmus/run/race_watch.h"

#include <algorithm>

#include "emulator/race/detector.h"

namespace heddle::litmus {
namespace {

class DetectorWatch final : public RaceWatch {
 public:
  explicit DetectorWatch(bool chains) : detector_(race::Options{chains}) {}

  void restart() override { detector_.clear(); }
  trace::Listener& listener() override { return detector_; }
  bool racy() override { return detector_.racy(); }
  std::vector<model::OperationPair> races() override {
    std::vector<model::OperationPair> out;
    for (const race::Race& race : detector_.races())
      out.emplace_back(std::min(race.first, race.second), std::max(race.first, race.second));
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  race::Detector detector_;
};

}  // namespace

std::unique_ptr<RaceWatch> detector_watch(bool chains) {
  return std::make_unique<DetectorWatch>(chains);
}

}  // namespace heddle::litmus
