// What is known of a program that is watched: what it told, and what people do with it that needs no screen.
#pragma once

#include "model/protocol.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace qd::inspector {

namespace told = protocol::inspector;

// Of all finite samples; NaN and infinities are counted apart.
struct Range {
    float lowest = 0, highest = 0;
    std::size_t finite = 0, nans = 0, infinities = 0;
    bool operator==(const Range &) const = default;
};
Range range_of(std::span<const float> samples);
// How many samples lie in each of so many equal parts of a range.
std::vector<std::size_t> histogram(std::span<const float> samples, float lowest, float highest, std::size_t parts);
// The range without the least and the largest `share` of the finite samples, as fine as a histogram of 1024 parts.
Range inner_range(std::span<const float> samples, double share);

// The newest picture of a view, and the one before it.
struct Shot {
    told::PictureMessage head;
    std::vector<float> samples, before;
    int columns_before = 0, rows_before = 0; // of `before`
    Range range;
    bool comparable() const { return !before.empty() && before.size() == samples.size(); }
    // Sample (x, y); 0 where there is none.
    float at(int x, int y) const;
    // The elements that a sample stands for begins here.
    int column(int x) const;
    int row(int y) const;
    int width() const { return int(head.width); }
    int height() const { return int(head.height); }
};

struct Listed {
    told::FileListing listing;
    std::vector<std::string> text;
    std::map<int, const protocol::coverage::LineCounts *> lines() const;
};

struct Curve {
    static constexpr std::size_t most = 200'000;
    double first = 0; // number of the value that stands first here
    std::deque<std::optional<double>> values;
};

enum class Quantity { total, newest, difference };

class Watched {
  public:
    // `samples(memory, at, count)` gives floats that the program shares, or throws Garbled.
    using Memory = std::function<std::span<const float>(int memory, std::uint64_t at, std::uint64_t count)>;
    explicit Watched(Memory memory) : memory_(std::move(memory)) {}

    // False: a message of another kind. Throws Garbled.
    bool take(const Json &message);
    // What is known, as text for tests and for people who look into it.
    Json dump() const;

    // 0 to 100: how strong the tint of a line is; the same as in the gutter of the notebook.
    static int level(double count, double most);
    // 999, 1.2k, 34k, 5.6M
    static std::string brief(double count);
    // What is worth saying of the branches of a line that ran.
    static std::vector<std::string> remarks(const protocol::coverage::LineCounts &line);
    // Of a kernel or task, without "<locals>."
    static std::string shown_name(std::string name);
    // "1.25 ms"
    static std::string duration(double microseconds);

    double most(Quantity quantity) const;
    static double value(const protocol::coverage::LineCounts &line, Quantity quantity);
    const told::View *view(int id) const;

    told::StateMessage state;
    std::map<std::string, Listed> files;
    protocol::coverage::Scale scale;
    std::vector<told::TaskTimes> tasks;
    std::deque<told::Compilation> compilations;
    std::vector<told::Gradient> gradients;
    std::vector<told::Graph> graphs;
    std::vector<told::View> views;
    int views_told = 0; // how often: what is wanted is asked for anew
    std::map<int, Shot> shots;
    std::vector<told::Parameter> parameters;
    std::map<std::string, Curve> series;
    std::deque<told::LogLine> log;
    std::deque<std::string> said; // the newest last

  private:
    Memory memory_;
    void take_listings(told::ListingsMessage message);
    void take_picture(const told::PictureMessage &head);
    void take_series(const told::SeriesMessage &message);
    void note(const std::string &what, const std::string &text);
};

} // namespace qd::inspector
