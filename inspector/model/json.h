// Messages are JSON. An invalid one throws Garbled, which ends the connection.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace qd::inspector {

using Json = nlohmann::json;

struct Garbled : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class T> struct IsList : std::false_type {
    static constexpr bool plain = false;
};
template <class T> struct IsList<std::vector<T>> : std::true_type {
    static constexpr bool plain = std::is_arithmetic_v<T>;
};

// Returns a value of exactly this type: the conversions of the library accept a flag as a number, and any number as a small one.
template <class T> T value_of(const Json &json, const char *name) {
    const auto require = [&](bool holds) {
        if (!holds) throw Garbled(std::string("what is called ") + name + " has the wrong type");
    };
    if constexpr (std::is_same_v<T, bool>) {
        require(json.is_boolean());
        return json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
        require(json.is_number());
        if (json.is_number_unsigned()) {
            require(std::in_range<T>(json.get<std::uint64_t>()));
        } else if (json.is_number_float()) {
            const double number = json.get<double>();
            require(std::abs(number) < 9e15 && number == std::trunc(number));
            require(std::in_range<T>(std::int64_t(number)));
        } else {
            require(std::in_range<T>(json.get<std::int64_t>()));
        }
        return json.get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
        require(json.is_number());
        return json.get<T>();
    } else if constexpr (IsList<T>::value) {
        require(json.is_array());
        T all;
        for (const Json &one : json) all.push_back(value_of<typename T::value_type>(one, name));
        return all;
    } else {
        require(json.is_string());
        return json.get<T>();
    }
}

// Returns a member of a message, or `otherwise` if it is missing; throws Garbled if it has another type.
template <class T> T member(const Json &message, const char *name, T otherwise) {
    const auto found = message.find(name);
    return found == message.end() || found->is_null() ? otherwise : value_of<T>(*found, name);
}

template <class T> T member(const Json &message, const char *name) {
    const auto found = message.find(name);
    if (found == message.end()) throw Garbled(std::string(name) + " is missing");
    return member<T>(message, name, T());
}

} // namespace qd::inspector
