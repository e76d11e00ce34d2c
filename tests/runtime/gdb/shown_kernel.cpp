// A kernel in which a debugger stops, and prints what the kernel has.

#include <heddle/heddle.h>

#include <string_view>

using namespace heddle;

/// Where the debugger stops.
[[gnu::noinline]] void stop() {
  asm volatile("");
}

struct Particle {
  float mass;
  std::uint32_t cell;
};

int main(int, char** arguments) {
  Device device(arguments[1] == std::string_view("native") ? Mode::Native : Mode::Emulated);
  auto numbers = device.buffer({11u, 22u, 33u}, "numbers");
  auto particles = device.buffer({Particle{1.5f, 7}, Particle{2.5f, 8}}, "particles");
  const auto kernel = [](auto& inv, auto x, auto p) {
    auto tile = inv.template workgroup<std::uint32_t[2]>("tile");
    auto sum = inv.template workgroup<float>("sum");
    auto velocity = inv.template workgroup<vec2>("velocity");
    const vec3 place{1, 2, 3};
    velocity = {0.5f, 8.0f};
    tile[0] = 5;
    tile[1] = 6;
    sum = 4.5f;
    stop();
    x[0] = x[1] + tile[0];
    p[0] = Particle{place.x, x[0]};
  };
  device.dispatch(kernel, {1}, {1}, numbers, particles);
}
