#include "model/watched.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace qd::inspector {

namespace {

constexpr std::size_t max_lines = 5000, max_compilations = 500;
constexpr double max_samples = 2048. * 2048.;

std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> lines;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        std::size_t tab;
        while ((tab = line.find('\t')) != std::string::npos) line.replace(tab, 1, 4 - tab % 4, ' ');
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(std::move(line));
        at = end + 1;
    }
    return lines;
}

int whole(double number, double least, double most, const char *what) {
    if (!(number >= least && number <= most)) throw Garbled(std::string(what) + " is out of range");
    return int(number);
}

template <class T> void keep_newest(std::deque<T> &all, std::size_t most) {
    while (all.size() > most) all.pop_front();
}

template <class T> void write_all(Json &json, const char *name, const T &list) {
    json[name] = Json::array();
    for (const auto &one : list) json[name].push_back(one);
}

} // namespace

Range range_of(std::span<const float> samples) {
    Range range;
    float lowest = std::numeric_limits<float>::infinity(), highest = -lowest;
    for (const float v : samples) {
        if (std::isfinite(v)) {
            lowest = std::min(lowest, v);
            highest = std::max(highest, v);
            range.finite++;
        } else {
            (std::isnan(v) ? range.nans : range.infinities)++;
        }
    }
    if (range.finite) range.lowest = lowest, range.highest = highest;
    return range;
}

std::vector<std::size_t> histogram(std::span<const float> samples, float lowest, float highest, std::size_t parts) {
    std::vector<std::size_t> found(parts);
    const double width = double(highest) - double(lowest);
    for (const float v : samples) {
        if (!std::isfinite(v) || v < lowest || v > highest) continue;
        const double at = width > 0 ? (double(v) - double(lowest)) / width * double(parts) : 0;
        found[std::min(std::size_t(at), parts - 1)]++;
    }
    return found;
}

Range inner_range(std::span<const float> samples, double share) {
    constexpr std::size_t parts = 1024;
    Range range = range_of(samples);
    if (range.finite == 0 || range.lowest == range.highest) return range;
    const auto counts = histogram(samples, range.lowest, range.highest, parts);
    const double step = (double(range.highest) - double(range.lowest)) / double(parts);
    const double limit = share * double(range.finite);
    double seen = 0;
    std::size_t low = 0, high = parts;
    while (low + 1 < high && seen + double(counts[low]) <= limit) seen += double(counts[low++]);
    seen = 0;
    while (high > low + 1 && seen + double(counts[high - 1]) <= limit) seen += double(counts[--high]);
    const float least = range.lowest;
    range.highest = high == parts ? range.highest : float(double(least) + step * double(high));
    range.lowest = float(double(least) + step * double(low));
    return range;
}

float Shot::at(int x, int y) const {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return 0;
    return samples[std::size_t(x) * std::size_t(height()) + std::size_t(y)];
}

int Shot::column(int x) const {
    if (!head.first.empty()) return int(head.first[0]) + x;
    return int(std::int64_t(x) * std::int64_t(head.columns) / std::max(1, width()));
}
int Shot::row(int y) const {
    if (!head.first.empty()) return int(head.first[1]) + y;
    return int(std::int64_t(y) * std::int64_t(head.rows) / std::max(1, height()));
}

std::map<int, const protocol::coverage::LineCounts *> Listed::lines() const {
    std::map<int, const protocol::coverage::LineCounts *> found;
    for (const auto &line : listing.lines) found[int(std::clamp(line.number, -1e9, 1e9))] = &line;
    return found;
}

bool Watched::take(const Json &message) {
    const std::string kind = member<std::string>(message, "kind");
    try {
        if (kind == "state") {
            state = message.get<sent::StateMessage>();
            if (!state.said.empty()) said.push_back(state.said), note("note", state.said);
            keep_newest(said, 50);
        } else if (kind == "listings") {
            take_listings(message.get<sent::ListingsMessage>());
        } else if (kind == "tasks") {
            auto all = message.get<sent::TasksMessage>();
            tasks = std::move(all.tasks);
            for (auto &one : all.compilations) compilations.push_back(std::move(one));
            keep_newest(compilations, max_compilations);
        } else if (kind == "adstack") {
            gradients = message.get<sent::AdstackMessage>().gradients;
        } else if (kind == "graph") {
            graphs = message.get<sent::GraphMessage>().graphs;
        } else if (kind == "views") {
            views = message.get<sent::ViewsMessage>().views;
            views_received++;
        } else if (kind == "picture") {
            take_picture(message.get<sent::PictureMessage>());
        } else if (kind == "parameters") {
            parameters = message.get<sent::ParametersMessage>().parameters;
        } else if (kind == "series") {
            take_series(message.get<sent::SeriesMessage>());
        } else if (kind == "log") {
            for (const auto &line : message.get<sent::LogMessage>().lines) note(line.what, line.text);
        } else {
            return false;
        }
    } catch (const Json::exception &wrong) {
        throw Garbled(kind + ": " + wrong.what());
    }
    return true;
}

void Watched::note(const std::string &what, const std::string &text) {
    for (const std::string &line : split(text)) log.push_back({what, line});
    keep_newest(log, max_lines);
}

void Watched::take_listings(sent::ListingsMessage message) {
    scale = message.scale;
    for (auto &listing : message.listings) {
        for (const auto &line : listing.lines) whole(line.number, 1, 1e9, "the number of a line");
        Listed &file = files[listing.file];
        if (listing.text) file.text = split(*listing.text);
        listing.text.reset();
        file.listing = std::move(listing);
    }
}

void Watched::take_picture(const sent::PictureMessage &head) {
    const int id = whole(head.view, 0, 1e9, "the number of a view");
    const auto width = std::uint64_t(whole(head.width, 1, 1e6, "width"));
    const auto height = std::uint64_t(whole(head.height, 1, 1e6, "height"));
    if (double(width) * double(height) > max_samples) throw Garbled("a picture of too many samples");
    if (!(head.columns >= 1 && head.rows >= 1 && head.columns < 2147483648. && head.rows < 2147483648.))
        throw Garbled("a view without elements");
    if (!head.first.empty() && head.first.size() != 2) throw Garbled("the first element has two indices");
    for (const double at : head.first) whole(at, 0, 2147483647., "the first element");
    if (!(head.at >= 0 && head.at < 9e15)) throw Garbled("a picture outside its memory");
    const auto from =
        memory_(whole(head.memory, 0, 1e9, "the number of a memory"), std::uint64_t(head.at), width * height);
    Shot &shot = shots[id];
    const bool same = shot.head.component == head.component && shot.head.slice == head.slice &&
                      shot.head.first == head.first && shot.head.width == head.width && shot.head.height == head.height;
    shot.before.swap(shot.samples);
    if (!same) shot.before.clear();
    shot.samples.assign(from.begin(), from.end());
    shot.head = head;
    shot.range = range_of(shot.samples);
}

void Watched::take_series(const sent::SeriesMessage &message) {
    for (const auto &one : message.series) {
        Curve &curve = series[one.name];
        if (curve.values.empty() || one.first != curve.first + double(curve.values.size())) {
            curve.values.clear();
            curve.first = one.first;
        }
        for (const auto &value : one.values) curve.values.push_back(value);
        while (curve.values.size() > Curve::most) curve.values.pop_front(), curve.first++;
    }
}

int Watched::level(double count, double most) {
    if (count <= 0) return 0;
    return int(std::lround(6 + 54 * std::pow(std::min(1., count / std::max(most, 1.)), 0.35)));
}

std::string Watched::brief(double count) {
    char text[32];
    if (count < 0) return "-" + brief(-count);
    const char *units[] = {"", "k", "M", "G", "T", "P"};
    for (const char *unit : units) {
        if (*unit && count < 9.95) {
            std::snprintf(text, sizeof text, "%.1f", count);
            std::string shown = text;
            if (shown.ends_with(".0")) shown.resize(shown.size() - 2);
            return shown + unit;
        }
        if (count < 999.5) {
            std::snprintf(text, sizeof text, "%d%s", int(count + 0.5), unit);
            return text;
        }
        count /= 1000;
    }
    std::snprintf(text, sizeof text, "%.0fE", count);
    return text;
}

std::vector<std::string> Watched::remarks(const protocol::coverage::LineCounts &line) {
    std::vector<std::string> found;
    if (line.count == 0) return found;
    constexpr std::pair<const char *, const char *> words[] = {{"taken", "never true"},
                                                               {"not_taken", "never false"},
                                                               {"entered", "never entered"},
                                                               {"exhausted", "only left by break"}};
    for (const auto &[outcome, said_of_it] : words) {
        const auto at = line.outcomes.find(outcome);
        if (at != line.outcomes.end() && at->second == 0) found.push_back(said_of_it);
    }
    return found;
}

std::string Watched::shown_name(std::string name) {
    const std::string inner = "<locals>.";
    for (std::size_t at; (at = name.find(inner)) != std::string::npos;) name.erase(at, inner.size());
    return name;
}

std::string Watched::duration(double microseconds) {
    char text[32];
    if (microseconds < 999.5)
        std::snprintf(text, sizeof text, "%.3g us", microseconds);
    else if (microseconds < 999.5e3)
        std::snprintf(text, sizeof text, "%.3g ms", microseconds / 1e3);
    else
        std::snprintf(text, sizeof text, "%.4g s", microseconds / 1e6);
    return text;
}

double Watched::most(Quantity quantity) const {
    return quantity == Quantity::total ? scale.total : quantity == Quantity::newest ? scale.newest : scale.difference;
}

double Watched::value(const protocol::coverage::LineCounts &line, Quantity quantity) {
    return quantity == Quantity::total    ? line.count
           : quantity == Quantity::newest ? line.newest
                                          : line.newest - line.previous.value_or(0);
}

const sent::View *Watched::view(int id) const {
    for (const auto &one : views)
        if (one.id == id) return &one;
    return nullptr;
}

Json Watched::dump() const {
    Json json = {{"kind", "model"}, {"state", state}, {"scale", scale}};
    json["files"] = Json::object();
    for (const auto &[name, file] : files) json["files"][name] = {{"lines", file.listing.lines}, {"text", file.text}};
    write_all(json, "tasks", tasks);
    write_all(json, "compilations", compilations);
    write_all(json, "gradients", gradients);
    write_all(json, "graphs", graphs);
    write_all(json, "views", views);
    write_all(json, "parameters", parameters);
    write_all(json, "log", log);
    json["shots"] = Json::object();
    for (const auto &[id, shot] : shots)
        json["shots"][std::to_string(id)] = {{"head", shot.head},
                                             {"lowest", shot.range.lowest},
                                             {"highest", shot.range.highest},
                                             {"nans", shot.range.nans},
                                             {"infinities", shot.range.infinities}};
    json["series"] = Json::object();
    for (const auto &[name, curve] : series)
        json["series"][name] = {{"first", curve.first}, {"count", curve.values.size()}};
    return json;
}

} // namespace qd::inspector
