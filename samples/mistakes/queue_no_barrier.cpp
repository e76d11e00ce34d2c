// Two dispatches of one command buffer, the second of which reads what the first wrote. Submission
// order alone does not even make the second one begin behind the first.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  copy_written_squares(trial, [](CommandBuffer& commands) {
    if constexpr (right)
      commands.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                  PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
  });
}

int main(int argc, char** argv) {
  return compare(argc, argv, "Two dispatches without a pipeline barrier", test<false>, test<true>);
}
