// The panes of an inspected program, one file each. draw() is called in a child window of ImGui.
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

// Shows how often each line ran.
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

// Shows fields and arrays as pictures.
class ViewsPane {
  public:
    void draw(Desk &desk);
    void want(Desk &desk, const std::vector<std::string> &panes); // requests the data of the visible panes and views

  private:
    enum class Scaling { whole, inner, fixed };
    enum class Kind { picture, lines, points, table };
    struct Body { // a painted point
        float x, y;
        int sample;
    };
    struct Look {
        bool shown = true;
        std::optional<Kind> kind;      // how the view is shown; none: the default
        std::array<int, 2> first = {}; // of a table: the top left element
        std::array<int, 2> room = {};  // of a table: the number of elements that fit
        std::vector<Body> bodies;      // of points
        ColourMap map = ColourMap::viridis;
        Scaling scaling = Scaling::whole;
        float lowest = 0, highest = 1; // of Scaling::fixed, and the range shown
        int component = 0;
        std::vector<int> slice;
        bool difference = false, histogram = false;
        int width = 0, height = 0; // available pixels
        std::uintptr_t texture = 0;
        double painted = -1;     // number of the picture in the texture
        std::string key;         // the settings that it was painted with
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

// Shows sliders, and the curves of the program.
class ParametersPane {
  public:
    void draw(Desk &desk);

  private:
    std::map<std::string, double> held_; // values of sliders that the user is dragging
    void curve(Desk &desk, const std::string &name, const Curve &curve);
};

// Shows the times of tasks and of compilations.
class TasksPane {
  public:
    void draw(Desk &desk);

  private:
    void times(Desk &desk);
    void compilations(Desk &desk);
};

// Shows the adstacks of gradients.
class AdstackPane {
  public:
    void draw(Desk &desk);
};

// Shows the paths that the newest launches of graphs took.
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
