#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 1) const uint SIZE = 64;
layout(push_constant) uniform Push { uint factor; } push;
layout(set = 0, binding = 0) readonly buffer In { uint values[]; } items;
layout(set = 0, binding = 1) writeonly buffer Out { uint values[]; } sums;
shared uint partial[SIZE];
void main() {
  uint i = gl_LocalInvocationIndex;
  uint at = gl_GlobalInvocationID.x;
  partial[i] = items.values[at] * push.factor;
  barrier();
  for (uint step = 1; step < SIZE; step *= 2) {
    uint before = i >= step ? partial[i - step] : 0;
    barrier();
    partial[i] += before;
    barrier();
  }
  sums.values[at] = partial[i];
}
