// The panes of an inspected program, one file each. draw() is called in a child window of ImGui.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/colours.h"
#include "view/ui_state.h"

namespace qd::inspector {

// Shows how often each line ran.
class LinesPane {
  public:
    void draw(UiState &ui);

  private:
    Quantity quantity_ = Quantity::total;
    std::string specialisation_; // "": all together

    void controls(UiState &ui, const Listed &file);
    void body(UiState &ui, const Listed &file);
    void minimap(UiState &ui, const Listed &file, float scroll, float shown, float whole);
};

// Shows fields and arrays as pictures.
class ViewsPane {
  public:
    void draw(UiState &ui);
    void want(UiState &ui, const std::vector<std::string> &panes); // requests the data of the visible panes and views

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
    int views_received_ = -1;
    Picture picture_;
    std::vector<float> values_;

    void one(UiState &ui, const sent::View &view, Look &look, ImVec2 size);
    void options(UiState &ui, const sent::View &view, Look &look);
    void paint(UiState &ui, const Shot &shot, Look &look);
    static constexpr const char *kind_names[] = {"picture", "lines", "points", "table"};
    static constexpr int each_component = -2, max_points = 1 << 17;
    static Kind plain_kind(const sent::View &view);
    static bool may_be_points(const sent::View &view);
    static Kind kind_of(const sent::View &view, const Look &look);
    void ask_for(const sent::View &view, Look &look, ImVec2 room);
    void points(UiState &ui, const sent::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size);
    void table(UiState &ui, const sent::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size);
    void curve(UiState &ui, const Shot &shot, const Look &look, ImVec2 at, ImVec2 size);
    void under_pointer(UiState &ui, const sent::View &view, const Shot &shot, Look &look, int x, int y);
    void edit(UiState &ui, const sent::View &view, Look &look);
    void histogram(const Shot &shot, const Look &look);
};

// Shows sliders, and the curves of the program.
class ParametersPane {
  public:
    void draw(UiState &ui);

  private:
    std::map<std::string, double> held_; // values of sliders that the user is dragging
    void curve(UiState &ui, const std::string &name, const Curve &curve);
};

// Shows the times of tasks and of compilations.
class TasksPane {
  public:
    void draw(UiState &ui);

  private:
    void times(UiState &ui);
    void compilations(UiState &ui);
};

// Shows the adstacks of gradients.
class AdstackPane {
  public:
    void draw(UiState &ui);
};

// Shows the paths that the newest launches of graphs took.
class GraphPane {
  public:
    void draw(UiState &ui);

  private:
    void steps(UiState &ui, const sent::Graph &graph);
};

class LogPane {
  public:
    void draw(UiState &ui);

  private:
    std::array<char, 128> filter_{};
    std::size_t seen_ = 0;
};

} // namespace qd::inspector
