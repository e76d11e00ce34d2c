#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint values[]; } items;
layout(set = 0, binding = 1) writeonly buffer Out { uint values[]; } sums;
shared uint tile[256];
void main() {
  uint i = gl_LocalInvocationIndex;
  tile[i] = items.values[gl_GlobalInvocationID.x];
  barrier();
  for (uint half_ = 128; half_ > 0; half_ /= 2) {
    if (i < half_) tile[i] += tile[i + half_];
    barrier();
  }
  if (i == 0) sums.values[gl_WorkGroupID.x] = tile[0];
}
