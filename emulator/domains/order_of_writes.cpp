#include "emulator/domains/order_of_writes.h"

#include <algorithm>

namespace heddle::domains {

Position Granule::behind(std::uint32_t write) const {
  const auto at = std::find(order.begin(), order.end(), write);
  return at == order.end() ? 0 : static_cast<Position>(at - order.begin()) + 1;
}

unsigned shift_of(const Locations& bytes, const Granule& granule) {
  return static_cast<unsigned>(bytes.offset_bytes - granule.offset_bytes) * 8;
}

trace::Value mask_of(const Locations& bytes, const Granule& granule) {
  const trace::Value all =
      bytes.size_bytes >= sizeof(trace::Value) ? ~trace::Value{0} : (trace::Value{1} << (bytes.size_bytes * 8)) - 1;
  return all << shift_of(bytes, granule);
}

}  // namespace heddle::domains
