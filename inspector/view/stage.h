// Where pictures come out: a window on a screen, drawn by OpenGL, or a picture in memory, drawn by the processor, which
// needs neither a display nor a driver.
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

struct Wish {
    std::string title;
    int width, height, x, y;
    bool shown, fullscreen, vsync, resizable;
};

class Stage {
  public:
    virtual ~Stage() = default;

    virtual void wait(double seconds) = 0; // until something happens, or woken
    virtual void wake() = 0;               // from any thread
    virtual std::vector<Event> events() = 0;
    virtual void size(int &width, int &height) const = 0;
    virtual void begin() = 0;                   // before ImGui::NewFrame
    virtual void present(ImDrawData *data) = 0; // after ImGui::Render
    virtual void read(Picture *to) = 0;         // what is presented is copied there, until it is told otherwise by null
    virtual void title(const std::string &text) = 0;
    virtual void resize(int, int) {}
    virtual std::string renderer() const = 0;
    virtual bool software() const = 0; // the processor draws, so pictures are dear
    virtual bool seen() const = 0;

    // A texture with these pixels, which live until it is set anew or dropped. 0 asks for a new one.
    virtual std::uintptr_t texture(std::uintptr_t id, const Picture &pixels, bool smooth) = 0;
    virtual void drop(std::uintptr_t id) = 0;
};

// On a screen; null and a reason where there is none, or no OpenGL.
std::unique_ptr<Stage> open_screen(const Wish &wish, std::string &why);
std::unique_ptr<Stage> open_memory(const Wish &wish);

// Tells ImGui of an event.
void feed(const Event &event);

} // namespace qd::inspector
