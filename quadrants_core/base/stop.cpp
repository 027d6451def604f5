#include "base/stop.h"

namespace qd {

volatile uint32_t stop_word = 0;

void request_stop() { stop_word = 1; }
void clear_stop() { stop_word = 0; }

} // namespace qd
