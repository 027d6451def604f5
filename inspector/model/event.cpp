#include "model/event.h"

#include <array>
#include <cmath>
#include <utility>

namespace qd::inspector {

namespace {

constexpr std::array<std::pair<const char *, Event::Type>, 7> names = {{{"key", Event::Type::key},
                                                                        {"button", Event::Type::button},
                                                                        {"move", Event::Type::move},
                                                                        {"wheel", Event::Type::wheel},
                                                                        {"text", Event::Type::text},
                                                                        {"resize", Event::Type::resize},
                                                                        {"close", Event::Type::close}}};

float number(const Json &message, const char *name) {
    const float x = member<float>(message, name);
    if (!std::isfinite(x)) throw Garbled("an invalid number");
    return x;
}

} // namespace

Json to_json(const Event &event) {
    Json made;
    for (const auto &[name, type] : names)
        if (type == event.type) made["type"] = name;
    switch (event.type) {
    case Event::Type::key:
    case Event::Type::button: made["key"] = event.name, made["down"] = event.down; break;
    case Event::Type::text: made["text"] = event.name; break;
    case Event::Type::move:
    case Event::Type::wheel:
    case Event::Type::resize: made["x"] = event.x, made["y"] = event.y; break;
    case Event::Type::close: break;
    }
    return made;
}

std::vector<Event> events_of(const Json &message) {
    std::vector<Event> found;
    const auto list = message.find("events");
    if (list == message.end() || !list->is_array()) throw Garbled("events that are not a list");
    for (const Json &one : *list) {
        if (!one.is_object()) throw Garbled("an invalid event");
        const auto said = member<std::string>(one, "type");
        const auto *row = names.begin();
        while (row != names.end() && said != row->first) ++row;
        if (row == names.end()) throw Garbled("an event of unknown type");
        Event event{row->second};
        switch (event.type) {
        case Event::Type::key:
        case Event::Type::button:
            event.name = member<std::string>(one, "key");
            event.down = member<bool>(one, "down");
            break;
        case Event::Type::text: event.name = member<std::string>(one, "text"); break;
        case Event::Type::move:
        case Event::Type::wheel:
        case Event::Type::resize: event.x = number(one, "x"), event.y = number(one, "y"); break;
        case Event::Type::close: break;
        }
        found.push_back(std::move(event));
    }
    return found;
}

} // namespace qd::inspector
