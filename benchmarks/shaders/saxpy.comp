#version 450
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { float a; } push;
layout(set = 0, binding = 0) readonly buffer X { float values[]; } x;
layout(set = 0, binding = 1) buffer Y { float values[]; } y;
void main() {
  uint i = gl_GlobalInvocationID.x;
  y.values[i] = push.a * x.values[i] + y.values[i];
}
