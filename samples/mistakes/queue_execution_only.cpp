// A pipeline barrier without access masks: the second dispatch begins behind the first, and need
// not see what it wrote.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  constexpr Access2 kWritten = right ? Access2::ShaderStorageWrite : Access2::None;
  constexpr Access2 kRead = right ? Access2::ShaderStorageRead : Access2::None;
  copy_written_squares(trial, [](CommandBuffer& commands) {
    commands.pipeline_barrier2(
        {PipelineStage2::ComputeShader, kWritten, PipelineStage2::ComputeShader, kRead});
  });
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A pipeline barrier without access masks", test<false>, test<true>);
}
