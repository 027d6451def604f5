// The content of a window, by the mode that the script requested.
#pragma once

#include <memory>

#include "model/connection.h"
#include "model/event.h"
#include "view/stage.h"

namespace qd::inspector {

class Face {
  public:
    virtual ~Face() = default;
    // Receives the messages that main.cpp does not handle. Throws Garbled, which ends the connection.
    virtual void receive(const Json &message) = 0;
    virtual void input(const Event &event) = 0;     // after ImGui has received it
    virtual void draw() = 0;                        // called within a frame of ImGui
    virtual void drawn() {}                         // the frame is on the screen
    virtual bool restless() const { return false; } // redraws without changes
    virtual bool over() const { return false; }     // the user insists on closing it
    // The script has ended, or sent an invalid message. Returns true to keep the window open.
    virtual bool ended(const std::string &why) = 0;
};

std::unique_ptr<Face> window_face(Connection &connection, Stage &stage, const Json &hello);
std::unique_ptr<Face> inspect_face(Connection &connection, Stage &stage, const Json &hello);

} // namespace qd::inspector
