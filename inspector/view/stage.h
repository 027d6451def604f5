// Presents frames: in a window on a screen, drawn by OpenGL, or as a picture in memory, drawn by the processor, which needs
// neither a display nor a driver.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/picture.h"
#include "view/imgui.h"

namespace qd::inspector {

struct WindowOptions {
    std::string title;
    int width, height, x, y;
    bool shown, fullscreen, vsync, resizable;
};

class Stage {
  public:
    virtual ~Stage() = default;

    virtual void wait(double seconds) = 0; // until an event, `wake` or the timeout
    virtual void wake() = 0;               // from any thread
    virtual std::vector<Event> events() = 0;
    virtual void size(int &width, int &height) const = 0;
    virtual void begin() = 0;                   // before ImGui::NewFrame
    virtual void present(ImDrawData *data) = 0; // after ImGui::Render
    virtual void read(Picture *to) = 0;         // copies each presented frame there, until null is passed
    virtual void title(const std::string &text) = 0;
    virtual void resize(int, int) {}
    virtual std::string renderer() const = 0;
    virtual bool software() const = 0; // the processor draws, so frames are expensive
    virtual bool seen() const = 0;

    // Sets the pixels of a texture and returns its id; `id` 0 makes a new texture. It lives until it is dropped.
    virtual std::uintptr_t texture(std::uintptr_t id, const Picture &pixels, bool smooth) = 0;
    virtual void drop(std::uintptr_t id) = 0;
};

// Opens a window; returns null and a reason if there is no screen, or no OpenGL.
std::unique_ptr<Stage> open_screen(const WindowOptions &options, std::string &why);
std::unique_ptr<Stage> open_memory(const WindowOptions &options);

// Passes an event to ImGui.
void feed(const Event &event);

} // namespace qd::inspector
