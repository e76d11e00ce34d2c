#pragma once

/// \file
/// What the scheduler of a device asks of the models of forward progress.

#include "emulator/progress/models.h"
#include "runtime/fairness.h"

namespace heddle::detail {

class ModelFairness final : public runtime::Fairness {
 public:
  explicit ModelFairness(std::string_view models) : models_(progress::parse_progress_models(models)) {}

  bool guarantees(runtime::FairnessLevel level, const runtime::Standing& standing) const override;
  std::string name() const override { return progress::spell(models_); }

 private:
  progress::ProgressModels models_;
};

}  // namespace heddle::detail
