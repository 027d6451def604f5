// The panes of a watched program, a file each. draw() is called in a child window of ImGui.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/colours.h"
#include "view/desk.h"

namespace qd::inspector {

// How often each line ran.
class LinesPane {
  public:
    void draw(Desk &desk);

  private:
    Quantity quantity_ = Quantity::total;
    std::string specialisation_; // "": all together

    void controls(Desk &desk, const Listed &file);
    void body(Desk &desk, const Listed &file);
    void minimap(Desk &desk, const Listed &file, float scroll, float shown, float whole);
};

// Fields and arrays as pictures.
class ViewsPane {
  public:
    void draw(Desk &desk);
    void want(Desk &desk, const std::vector<std::string> &panes); // tells the program what is looked at

  private:
    enum class Scaling { whole, inner, fixed };
    enum class Kind { picture, lines, points, table };
    struct Body { // a point, where it was painted
        float x, y;
        int sample;
    };
    struct Look {
        bool shown = true;
        std::optional<Kind> kind;      // what it is looked at as; none: what suits it
        std::array<int, 2> first = {}; // of a table: the element above, to the left
        std::array<int, 2> room = {};  // of a table: how many elements there is room for
        std::vector<Body> bodies;      // of points
        ColourMap map = ColourMap::viridis;
        Scaling scaling = Scaling::whole;
        float lowest = 0, highest = 1; // of Scaling::fixed, and of what is shown
        int component = 0;
        std::vector<int> slice;
        bool difference = false, histogram = false;
        int width = 0, height = 0; // pixels that there are for it
        std::uintptr_t texture = 0;
        double painted = -1;     // number of the picture in the texture
        std::string key;         // how it was painted
        std::vector<int> chosen; // the element that may be edited
        std::array<char, 64> text{};
    };
    std::map<int, Look> looks_;
    Json wanted_;
    int views_told_ = -1;
    Picture picture_;
    std::vector<float> values_;

    void one(Desk &desk, const told::View &view, Look &look, ImVec2 size);
    void options(Desk &desk, const told::View &view, Look &look);
    void paint(Desk &desk, const Shot &shot, Look &look);
    static constexpr const char *kind_names[] = {"picture", "lines", "points", "table"};
    static constexpr int each_component = -2, most_points = 1 << 17;
    static Kind plain_kind(const told::View &view);
    static bool may_be_points(const told::View &view);
    static Kind kind_of(const told::View &view, const Look &look);
    void ask_for(const told::View &view, Look &look, ImVec2 room);
    void points(Desk &desk, const told::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size);
    void table(Desk &desk, const told::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size);
    void curve(Desk &desk, const Shot &shot, const Look &look, ImVec2 at, ImVec2 size);
    void under_pointer(Desk &desk, const told::View &view, const Shot &shot, Look &look, int x, int y);
    void edit(Desk &desk, const told::View &view, Look &look);
    void histogram(const Shot &shot, const Look &look);
};

// Sliders, and the curves of the program.
class ParametersPane {
  public:
    void draw(Desk &desk);

  private:
    std::map<std::string, double> held_; // what a person holds at this moment
    void curve(Desk &desk, const std::string &name, const Curve &curve);
};

// Times of tasks and of compilations.
class TasksPane {
  public:
    void draw(Desk &desk);

  private:
    void times(Desk &desk);
    void compilations(Desk &desk);
};

// What gradients keep.
class AdstackPane {
  public:
    void draw(Desk &desk);
};

// Which way the newest launches of graphs went.
class GraphPane {
  public:
    void draw(Desk &desk);

  private:
    void steps(Desk &desk, const told::Graph &graph);
};

class LogPane {
  public:
    void draw(Desk &desk);

  private:
    std::array<char, 128> filter_{};
    std::size_t seen_ = 0;
};

} // namespace qd::inspector
