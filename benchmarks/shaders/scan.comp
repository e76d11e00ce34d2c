#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer In { uint values[]; } items;
layout(set = 0, binding = 1) writeonly buffer Out { uint values[]; } sums;
shared uint tile[2][256];
void main() {
  uint i = gl_LocalInvocationIndex;
  uint from = 0;
  tile[0][i] = items.values[gl_GlobalInvocationID.x];
  barrier();
  for (uint distance = 1; distance < 256; distance *= 2) {
    uint sum = tile[from][i];
    if (i >= distance) sum += tile[from][i - distance];
    from = 1 - from;
    tile[from][i] = sum;
    barrier();
  }
  sums.values[gl_GlobalInvocationID.x] = tile[from][i];
}
