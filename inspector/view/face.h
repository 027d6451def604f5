// What a window shows, by the mode that the script asked for.
#pragma once

#include <memory>

#include "model/connection.h"
#include "model/event.h"
#include "view/stage.h"

namespace qd::inspector {

class Face {
  public:
    virtual ~Face() = default;
    // Messages that are nobody else's. Throws Garbled, which ends the connection.
    virtual void receive(const Json &message) = 0;
    virtual void input(const Event &event) = 0;     // after ImGui was told of it
    virtual void draw() = 0;                        // in a frame of ImGui
    virtual void drawn() {}                         // the frame is on the screen
    virtual bool restless() const { return false; } // draws again without news
    virtual bool over() const { return false; }     // a person insists that it closes
    // The script is gone, or sent what cannot be a message: true to stay.
    virtual bool ended(const std::string &why) = 0;
};

std::unique_ptr<Face> window_face(Connection &connection, Stage &stage, const Json &hello);
std::unique_ptr<Face> inspect_face(Connection &connection, Stage &stage, const Json &hello);

} // namespace qd::inspector
