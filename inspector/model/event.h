// Input of the user, as it is sent to the script and received from its test channel.
#pragma once

#include <string>
#include <vector>

#include "model/json.h"

namespace qd::inspector {

struct Event {
    enum class Type { key, button, move, wheel, text, resize, close };
    Type type;
    std::string name;   // of the key or button; the text
    bool down = false;  // key, button
    float x = 0, y = 0; // move: pixels from the upper left; wheel: steps; resize: the new size
};

Json to_json(const Event &event);
// Throws Garbled.
std::vector<Event> events_of(const Json &message);

} // namespace qd::inspector
