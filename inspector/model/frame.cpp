#include "model/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/picture.h"

namespace qd::inspector {

namespace {

class Reader {
  public:
    Reader(const Connection &connection, int memory, Frame &made)
        : connection_(connection), memory_(memory), made_(made) {}

    template <class T> std::span<const T> piece(std::uint64_t at, std::uint64_t count) const {
        const auto bytes = connection_.piece(memory_, at, count, sizeof(T));
        return {reinterpret_cast<const T *>(bytes.data()), count};
    }

    template <class T> std::span<const T> piece(const Json &from, const char *name, std::uint64_t count) const {
        return piece<T>(member<std::uint64_t>(from, name), count);
    }

    // Reads a number, or {"at": offset} of `count` numbers.
    template <class T> Each<T> each(const Json &from, const char *name, std::uint64_t count) const {
        const auto found = from.find(name);
        if (found == from.end()) throw Garbled(std::string(name) + " is missing");
        if (found->is_object()) return {T{}, piece<T>(*found, "at", count)};
        return {member<T>(from, name)};
    }

    // Reads colours: a word, or {"at": offset, "form": "rgba" words, "rgb" words 0xRRGGBB, "f3" or "f4" floats from 0 to 1}.
    Each<std::uint32_t> colours(const Json &from, std::uint64_t count) const {
        const auto found = from.find("colour");
        if (found == from.end() || !found->is_object()) return each<std::uint32_t>(from, "colour", count);
        const auto form = member<std::string>(*found, "form");
        if (form == "rgba") return each<std::uint32_t>(from, "colour", count);
        std::vector<std::uint32_t> made(count);
        if (form == "rgb") {
            const auto words = piece<std::uint32_t>(*found, "at", count);
            for (std::size_t i = 0; i < count; ++i)
                made[i] = 0xff000000u | (words[i] & 0xff) << 16 | (words[i] & 0xff00) | (words[i] >> 16 & 0xff);
        } else if (form == "f3" || form == "f4") {
            const std::size_t n = form == "f3" ? 3 : 4;
            const auto numbers = piece<float>(*found, "at", count * n);
            const auto byte = [](float x) { return x > 0 ? std::uint32_t(std::min(x, 1.f) * 255 + 0.5f) : 0; };
            for (std::size_t i = 0; i < count; ++i) {
                const float *at = &numbers[i * n];
                made[i] = byte(at[0]) | byte(at[1]) << 8 | byte(at[2]) << 16 | (n == 4 ? byte(at[3]) : 255u) << 24;
            }
        } else {
            throw Garbled("colours of unknown form");
        }
        made_.colours.push_back(std::move(made));
        return {0, made_.colours.back()};
    }

    // Reads {"at": offset, "n": count of groups}, which may be missing.
    template <class T> std::span<const T> array(const Json &from, const char *name, std::uint64_t group) const {
        const auto found = from.find(name);
        if (found == from.end() || found->is_null()) return {};
        if (!found->is_object()) throw Garbled(std::string(name) + " is not an array");
        const auto count = member<std::uint64_t>(*found, "n");
        if (count > (1ull << 40)) throw Garbled("too much");
        return piece<T>(*found, "at", count * group);
    }

  private:
    const Connection &connection_;
    int memory_;
    Frame &made_;
};

std::uint64_t count_of(const Json &one) {
    const auto n = member<std::uint64_t>(one, "n");
    if (n > (1ull << 40)) throw Garbled("too much");
    return n;
}

template <std::size_t n> std::array<float, n> numbers(const Json &from, const char *name) {
    const auto list = member<std::vector<float>>(from, name);
    if (list.size() != n) throw Garbled(std::string(name) + " has the wrong length");
    std::array<float, n> made;
    for (std::size_t i = 0; i < n; ++i) made[i] = std::isfinite(list[i]) ? list[i] : 0;
    return made;
}

const Json &list(const Json &from, const char *name) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_array()) throw Garbled(std::string(name) + " is not a list");
    for (const Json &one : *found)
        if (!one.is_object()) throw Garbled(std::string(name) + " holds an invalid object");
    return *found;
}

Image image(const Json &one, const Reader &reader) {
    constexpr std::pair<const char *, std::pair<Image::Format, std::uint64_t>> forms[] = {
        {"f32", {Image::Format::f32, 4}},
        {"u8", {Image::Format::u8, 1}},
        {"u16", {Image::Format::u16, 2}},
        {"u32", {Image::Format::u32, 4}}};
    const auto size = member<std::vector<int>>(one, "size");
    if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > (1 << 20) || size[1] > (1 << 20))
        throw Garbled("an image without a size");
    const int components = member<int>(one, "components");
    if (components < 1 || components > 4) throw Garbled("an image with unknown components");
    const auto form = member<std::string>(one, "form");
    for (const auto &[name, format] : forms)
        if (form == name) {
            const auto bytes =
                std::uint64_t(size[0]) * std::uint64_t(size[1]) * std::uint64_t(components) * format.second;
            return {size[0], size[1], components, format.first, reader.piece<std::byte>(one, "at", bytes)};
        }
    throw Garbled("an image of unknown form");
}

Mesh mesh(const Json &one, const Reader &reader) {
    Mesh made;
    made.vertices = reader.array<float>(one, "vertices", 3);
    made.normals = reader.array<float>(one, "normals", 3);
    if (made.normals.size() != made.vertices.size())
        throw Garbled("a mesh with a different number of normals than vertices");
    made.indices = reader.array<std::uint32_t>(one, "indices", 1);
    made.first = member<std::int64_t>(one, "first", 0);
    made.colour = reader.colours(one, made.vertices.size() / 3);
    made.transforms = reader.array<float>(one, "transforms", 16);
    made.two_sided = member<bool>(one, "two_sided", false);
    made.wireframe = member<bool>(one, "wireframe", false);
    return made;
}

Scene scene(const Json &one, const Reader &reader) {
    Scene made;
    made.view = numbers<16>(one, "view");
    made.projection = numbers<16>(one, "projection");
    made.ambient = numbers<3>(one, "ambient");
    for (const Json &light : list(one, "lights"))
        made.lights.push_back({numbers<3>(light, "place"), numbers<3>(light, "colour")});
    for (const Json &thing : list(one, "things")) {
        const auto kind = member<std::string>(thing, "do");
        if (kind == "mesh") {
            made.things.emplace_back(mesh(thing, reader));
            continue;
        }
        const auto n = count_of(thing);
        if (kind == "balls") {
            made.things.emplace_back(Balls{reader.piece<float>(thing, "at", n * 3),
                                           reader.each<float>(thing, "radius", n), reader.colours(thing, n)});
        } else if (kind == "lines") {
            const bool by_end = member<bool>(thing, "by_end", false);
            made.things.emplace_back(Segments{reader.piece<float>(thing, "at", n * 6),
                                              reader.each<float>(thing, "width", n),
                                              reader.colours(thing, by_end ? n * 2 : n), by_end});
        } else {
            throw Garbled("an object of unknown kind in a scene");
        }
    }
    return made;
}

} // namespace

Frame frame_of(const Json &message, const Connection &connection) {
    Frame made;
    const Reader reader(connection, member<int>(message, "memory"), made);
    const auto size = member<std::vector<int>>(message, "size");
    if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > max_pixels_a_side || size[1] > max_pixels_a_side)
        throw Garbled("a frame without a size");
    made.width = size[0], made.height = size[1];
    made.background = member<std::uint32_t>(message, "background") | 0xff000000u;
    for (const Json &one : list(message, "draw")) {
        const auto kind = member<std::string>(one, "do");
        if (kind == "image") {
            made.things.emplace_back(image(one, reader));
        } else if (kind == "text") {
            made.things.emplace_back(Text{member<std::string>(one, "text"), member<float>(one, "x"),
                                          member<float>(one, "y"), member<float>(one, "size"),
                                          member<std::uint32_t>(one, "colour")});
        } else if (kind == "scene") {
            made.things.emplace_back(scene(one, reader));
        } else if (kind == "discs") {
            const auto n = count_of(one);
            made.things.emplace_back(Discs{reader.piece<float>(one, "at", n * 2), reader.each<float>(one, "radius", n),
                                           reader.colours(one, n)});
        } else if (kind == "lines") {
            const auto n = count_of(one);
            const bool by_end = member<bool>(one, "by_end", false);
            made.things.emplace_back(Lines{reader.piece<float>(one, "at", n * 4), reader.each<float>(one, "width", n),
                                           reader.colours(one, by_end ? n * 2 : n), by_end});
        } else if (kind == "triangles") {
            const auto n = count_of(one);
            const bool by_corner = member<bool>(one, "by_corner", false);
            made.things.emplace_back(Triangles{reader.piece<float>(one, "at", n * 6),
                                               reader.colours(one, by_corner ? n * 3 : n), by_corner});
        } else {
            throw Garbled("an object of unknown kind");
        }
    }
    return made;
}

} // namespace qd::inspector
