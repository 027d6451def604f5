// The state of an inspected program: the data that it sent, and the parts of its presentation that need no screen.
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

namespace sent = protocol::inspector;

// The range of all finite samples; NaN and infinities are counted separately.
struct Range {
    float lowest = 0, highest = 0;
    std::size_t finite = 0, nans = 0, infinities = 0;
    bool operator==(const Range &) const = default;
};
Range range_of(std::span<const float> samples);
// Counts the samples in each of `parts` equal parts of a range.
std::vector<std::size_t> histogram(std::span<const float> samples, float lowest, float highest, std::size_t parts);
// Returns the range without the least and the largest `share` of the finite samples, as fine as a histogram of 1024 parts.
Range inner_range(std::span<const float> samples, double share);

// The newest picture of a view, and the one before it.
struct Shot {
    sent::PictureMessage head;
    std::vector<float> samples, before;
    int columns_before = 0, rows_before = 0; // of `before`
    Range range;
    bool comparable() const { return !before.empty() && before.size() == samples.size(); }
    // Returns sample (x, y); 0 where there is none.
    float at(int x, int y) const;
    // Returns where the elements that a sample stands for begin.
    int column(int x) const;
    int row(int y) const;
    int width() const { return int(head.width); }
    int height() const { return int(head.height); }
};

struct Listed {
    sent::FileListing listing;
    std::vector<std::string> text;
    std::map<int, const protocol::coverage::LineCounts *> lines() const;
};

struct Curve {
    static constexpr std::size_t most = 200'000;
    double first = 0; // number of the first value
    std::deque<std::optional<double>> values;
};

enum class Quantity { total, newest, difference };

class Watched {
  public:
    // Returns `count` floats of a memory that the program shares, from byte `at`. Throws Garbled.
    using Memory = std::function<std::span<const float>(int memory, std::uint64_t at, std::uint64_t count)>;
    explicit Watched(Memory memory) : memory_(std::move(memory)) {}

    // Returns false for a message of another kind. Throws Garbled.
    bool take(const Json &message);
    // Returns the state as JSON, for tests and debugging.
    Json dump() const;

    // Returns the strength of the tint of a line, 0 to 100, as in the gutter of the notebook.
    static int level(double count, double most);
    // Formats a count: 999, 1.2k, 34k, 5.6M
    static std::string brief(double count);
    // Returns diagnostics on the branches of a line that ran.
    static std::vector<std::string> remarks(const protocol::coverage::LineCounts &line);
    // Returns the name of a kernel or task without "<locals>."
    static std::string shown_name(std::string name);
    // Formats a duration: "1.25 ms"
    static std::string duration(double microseconds);

    double most(Quantity quantity) const;
    static double value(const protocol::coverage::LineCounts &line, Quantity quantity);
    const sent::View *view(int id) const;

    sent::StateMessage state;
    std::map<std::string, Listed> files;
    protocol::coverage::Scale scale;
    std::vector<sent::TaskTimes> tasks;
    std::deque<sent::Compilation> compilations;
    std::vector<sent::Gradient> gradients;
    std::vector<sent::Graph> graphs;
    std::vector<sent::View> views;
    int views_received = 0; // number of messages: after each, the wanted views are requested again
    std::map<int, Shot> shots;
    std::vector<sent::Parameter> parameters;
    std::map<std::string, Curve> series;
    std::deque<sent::LogLine> log;
    std::deque<std::string> said; // newest last

  private:
    Memory memory_;
    void take_listings(sent::ListingsMessage message);
    void take_picture(const sent::PictureMessage &head);
    void take_series(const sent::SeriesMessage &message);
    void note(const std::string &what, const std::string &text);
};

} // namespace qd::inspector
