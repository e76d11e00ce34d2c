// A sample that ends as it is told to.
#include "samples/sample.h"

#include <limits>

using namespace heddle;

namespace {

void passed(sample::Sample& sample, Device&) {
  sample.check(true, "this");
}

void failed(sample::Sample& sample, Device&) {
  sample.check(false, "this");
}

void failed_then_passed(sample::Sample& sample, Device&) {
  sample.check(false, "this");
  sample.check(true, "that");
}

void wrong_kernel(sample::Sample&, Device& device) {
  device.dispatch([](auto& inv) { inv.require(false); }, {1}, {1});
}

void wrong_file(sample::Sample&, Device&) {
  sample::read_picture("no_such_file.png");
}

void not_a_number(sample::Sample& sample, Device&) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  sample.check(sample::worse(sample::worse(0, nan), 0.5) <= 1, "a NaN among small differences");
}

}  // namespace

int main(int argc, char** argv) {
  sample::Sample sample("exit_code", "Ends as it is told to.");
  std::string name;
  sample.file_option("--case", name, "what happens");
  return sample.run(argc, argv, [&](Device& device) {
    if (name == "passed") return passed(sample, device);
    if (name == "failed") return failed(sample, device);
    if (name == "failed_then_passed") return failed_then_passed(sample, device);
    if (name == "wrong_kernel") return wrong_kernel(sample, device);
    if (name == "wrong_file") return wrong_file(sample, device);
    if (name == "not_a_number") return not_a_number(sample, device);
    throw std::invalid_argument("no case " + name);
  });
}
