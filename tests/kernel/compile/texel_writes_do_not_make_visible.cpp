#include "kernel_under_test.h"

void test() {
  Device device;
  auto image = device.image<float, ImageDim::Dim1D>({1});
  const auto kernel = [](auto&, auto im) {
    im.write(0, 1.0f,
             ImageOperands::NonPrivateTexel |
                 RIGHT_OR_WRONG(ImageOperands::MakeTexelAvailable, ImageOperands::MakeTexelVisible),
             Scope::Device);
  };
  device.dispatch(kernel, {1}, {1}, image);
}
