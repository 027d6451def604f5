// Widgets that a script declares with each frame (qd.ui.Window.get_gui(), and those of qd.GUI). The values that the user sets
// are stored here and sent with the answer to the next frame.
#pragma once

#include <map>
#include <string>

#include "model/json.h"
#include "view/imgui.h"

namespace qd::inspector {

class Widgets {
  public:
    // Takes the list of a frame. Values that the program sets replace those stored here. Throws Garbled.
    void declare(const Json &list);
    void draw(float width, float height);
    // Returns the values by key; a button that was pressed is true, once.
    Json answer();
    bool any() const { return !declared_.empty(); }

  private:
    void one(const Json &widget, int number);

    Json declared_ = Json::array();
    std::map<std::string, Json> values_;
    float width_ = 1, height_ = 1;
};

} // namespace qd::inspector
