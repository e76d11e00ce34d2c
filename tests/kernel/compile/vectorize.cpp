// A loop over invocations, as the native mode runs it; the compiler is asked what it made of it.

#include <heddle/heddle.h>

using namespace heddle;

/// A call that the compiler cannot look into: such a loop is not vectorized.
float opaque(float);

void test(Device& device, const Buffer<float>& x, Buffer<float>& y) {
  const auto kernel = [](auto& inv, float a, auto in, auto out) {
    const auto i = inv.global_invocation_id().x;
#ifdef HEDDLE_RIGHT
    out[i] = a * in[i] + out[i];
#else
    out[i] = a * in[i] + opaque(out[i]);
#endif
  };
  device.dispatch(kernel, {static_cast<std::uint32_t>(y.size() / 256)}, {256}, 2.0f, x, y);
}
