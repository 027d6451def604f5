// Widgets that a script declares with each frame (qd.ui.Window.get_gui(), and those of qd.GUI). What a person set them to is
// kept here and goes back with the answer to the next frame.
#pragma once

#include <map>
#include <string>

#include "model/json.h"
#include "view/imgui.h"

namespace qd::inspector {

class Widgets {
  public:
    // Takes a frame's list. What the program sets wins over what is here. Throws Garbled.
    void declare(const Json &list);
    void draw(float width, float height);
    // Values by key; a button that was pressed is true, once.
    Json answer();
    bool any() const { return !declared_.empty(); }

  private:
    void one(const Json &widget, int number);

    Json declared_ = Json::array();
    std::map<std::string, Json> values_;
    float width_ = 1, height_ = 1;
};

} // namespace qd::inspector
