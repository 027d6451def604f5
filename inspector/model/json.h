// Messages are JSON; what is wrong with one is thrown as Garbled and ends the connection.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace qd::inspector {

using Json = nlohmann::json;

struct Garbled : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The member of a message, or what stands in for it where it is missing; of another type it is Garbled.
template <class T> T member(const Json &message, const char *name, T otherwise) {
    const auto found = message.find(name);
    if (found == message.end() || found->is_null()) return otherwise;
    try {
        return found->template get<T>();
    } catch (const Json::exception &) {
        throw Garbled(std::string("what is called ") + name + " is of another type");
    }
}

template <class T> T member(const Json &message, const char *name) {
    const auto found = message.find(name);
    if (found == message.end()) throw Garbled(std::string(name) + " is missing");
    return member<T>(message, name, T());
}

} // namespace qd::inspector
