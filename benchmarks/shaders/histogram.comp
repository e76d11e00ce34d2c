#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint8_t values[]; } items;
layout(set = 0, binding = 1) buffer Bins { uint values[]; } bins;
shared uint counts[256];
void main() {
  uint i = gl_LocalInvocationIndex;
  counts[i] = 0;
  barrier();
  atomicAdd(counts[uint(items.values[gl_GlobalInvocationID.x])], 1u);
  barrier();
  atomicAdd(bins.values[i], counts[i]);
}
