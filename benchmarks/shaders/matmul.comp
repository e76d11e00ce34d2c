#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform Push { uint n; } push;
layout(set = 0, binding = 0) readonly buffer A { float values[]; } a;
layout(set = 0, binding = 1) readonly buffer B { float values[]; } b;
layout(set = 0, binding = 2) writeonly buffer C { float values[]; } c;
shared float tile_a[16][16];
shared float tile_b[16][16];
void main() {
  uvec2 here = gl_LocalInvocationID.xy;
  uvec2 at = gl_GlobalInvocationID.xy;
  float sum = 0;
  for (uint t = 0; t < push.n; t += 16) {
    tile_a[here.y][here.x] = a.values[at.y * push.n + t + here.x];
    tile_b[here.y][here.x] = b.values[(t + here.y) * push.n + at.x];
    barrier();
    for (uint k = 0; k < 16; ++k) sum += tile_a[here.y][k] * tile_b[k][here.x];
    barrier();
  }
  c.values[at.y * push.n + at.x] = sum;
}
