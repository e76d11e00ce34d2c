// A pipeline barrier whose source access mask names transfers, and the write is a shader's.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  constexpr Access2 kWritten = right ? Access2::ShaderStorageWrite : Access2::TransferWrite;
  copy_written_squares(trial, [](CommandBuffer& commands) {
    commands.pipeline_barrier2({PipelineStage2::AllCommands, kWritten,
                                PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
  });
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A pipeline barrier with the wrong source access mask", test<false>,
                 test<true>);
}
