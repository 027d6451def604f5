// A window of GLFW, drawn by OpenGL 3.3.
#define GLFW_INCLUDE_GLCOREARB // prototypes of the core profile, as pointer types
#include <GLFW/glfw3.h>
#include <imgui_impl_opengl3.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "view/stage.h"

namespace qd::inspector {

namespace {

// The functions of OpenGL that this file calls; ImGui's renderer loads its own.
struct Gl {
    PFNGLGENTEXTURESPROC gen_textures;
    PFNGLDELETETEXTURESPROC delete_textures;
    PFNGLBINDTEXTUREPROC bind_texture;
    PFNGLTEXPARAMETERIPROC parameter;
    PFNGLTEXIMAGE2DPROC image;
    PFNGLTEXSUBIMAGE2DPROC sub_image;
    PFNGLPIXELSTOREIPROC pixel_store;
    PFNGLREADPIXELSPROC read_pixels;
    PFNGLREADBUFFERPROC read_buffer;
    PFNGLVIEWPORTPROC viewport;
    PFNGLCLEARCOLORPROC clear_color;
    PFNGLCLEARPROC clear;
    PFNGLGETSTRINGPROC get_string;

    bool load() {
        const auto get = [](auto &to, const char *name) {
            return (to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(glfwGetProcAddress(name))) != nullptr;
        };
        return get(gen_textures, "glGenTextures") && get(delete_textures, "glDeleteTextures") &&
               get(bind_texture, "glBindTexture") && get(parameter, "glTexParameteri") && get(image, "glTexImage2D") &&
               get(sub_image, "glTexSubImage2D") && get(pixel_store, "glPixelStorei") &&
               get(read_pixels, "glReadPixels") && get(read_buffer, "glReadBuffer") && get(viewport, "glViewport") &&
               get(clear_color, "glClearColor") && get(clear, "glClear") && get(get_string, "glGetString");
    }
};

constexpr std::pair<int, const char *> named_keys[] = {
    {GLFW_KEY_ESCAPE, "Escape"},
    {GLFW_KEY_ENTER, "Return"},
    {GLFW_KEY_KP_ENTER, "Return"},
    {GLFW_KEY_TAB, "Tab"},
    {GLFW_KEY_BACKSPACE, "BackSpace"},
    {GLFW_KEY_DELETE, "Delete"},
    {GLFW_KEY_INSERT, "Insert"},
    {GLFW_KEY_RIGHT, "Right"},
    {GLFW_KEY_LEFT, "Left"},
    {GLFW_KEY_DOWN, "Down"},
    {GLFW_KEY_UP, "Up"},
    {GLFW_KEY_PAGE_UP, "Page_Up"},
    {GLFW_KEY_PAGE_DOWN, "Page_Down"},
    {GLFW_KEY_HOME, "Home"},
    {GLFW_KEY_END, "End"},
    {GLFW_KEY_CAPS_LOCK, "Caps_Lock"},
    {GLFW_KEY_LEFT_SHIFT, "Shift_L"},
    {GLFW_KEY_RIGHT_SHIFT, "Shift_R"},
    {GLFW_KEY_LEFT_CONTROL, "Control_L"},
    {GLFW_KEY_RIGHT_CONTROL, "Control_R"},
    {GLFW_KEY_LEFT_ALT, "Alt_L"},
    {GLFW_KEY_RIGHT_ALT, "Alt_R"},
    {GLFW_KEY_LEFT_SUPER, "Super_L"},
    {GLFW_KEY_RIGHT_SUPER, "Super_R"},
};

// Returns the name of a key: the character that it produces in the current layout, in lower case.
std::string key_name(int key, int scancode) {
    for (const auto &[code, name] : named_keys)
        if (code == key) return name;
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25) return "F" + std::to_string(key - GLFW_KEY_F1 + 1);
    if (key == GLFW_KEY_SPACE) return " ";
    if (const char *written = glfwGetKeyName(key, scancode)) return written;
    if (key >= 33 && key < 127) return std::string(1, key >= 'A' && key <= 'Z' ? char(key - 'A' + 'a') : char(key));
    return "";
}

std::string utf8(unsigned code) {
    std::string made;
    if (code < 0x80)
        made = char(code);
    else if (code < 0x800)
        made = {char(0xc0 | code >> 6), char(0x80 | (code & 63))};
    else if (code < 0x10000)
        made = {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 63)), char(0x80 | (code & 63))};
    else
        made = {char(0xf0 | code >> 18), char(0x80 | (code >> 12 & 63)), char(0x80 | (code >> 6 & 63)),
                char(0x80 | (code & 63))};
    return made;
}

class ScreenStage : public Stage {
  public:
    ScreenStage(GLFWwindow *window, const Gl &gl) : window_(window), gl_(gl) {
        renderer_ = reinterpret_cast<const char *>(gl_.get_string(GL_RENDERER));
        for (const char *known : {"llvmpipe", "softpipe", "swrast", "SwiftShader"})
            software_ |= renderer_.find(known) != std::string::npos;
        if (software_) setpriority(PRIO_PROCESS, 0, 5); // its threads take every core: the kernels have priority
        glfwSetWindowUserPointer(window, this);
        glfwSetKeyCallback(window, [](GLFWwindow *w, int key, int scancode, int action, int) {
            if (action == GLFW_REPEAT) return;
            if (auto name = key_name(key, scancode); !name.empty())
                self(w).events_.push_back({Event::Type::key, std::move(name), action == GLFW_PRESS});
        });
        glfwSetCharCallback(
            window, [](GLFWwindow *w, unsigned code) { self(w).events_.push_back({Event::Type::text, utf8(code)}); });
        glfwSetMouseButtonCallback(window, [](GLFWwindow *w, int button, int action, int) {
            if (button > 2) return;
            const char *const names[] = {"LMB", "RMB", "MMB"};
            self(w).events_.push_back({Event::Type::button, names[button], action == GLFW_PRESS});
        });
        glfwSetCursorPosCallback(window, [](GLFWwindow *w, double x, double y) {
            auto &all = self(w).events_;
            if (!all.empty() && all.back().type == Event::Type::move) all.pop_back(); // the newest is enough
            all.push_back({Event::Type::move, "", false, float(x), float(y)});
        });
        glfwSetScrollCallback(window, [](GLFWwindow *w, double x, double y) {
            self(w).events_.push_back({Event::Type::wheel, "", false, float(x), float(y)});
        });
        glfwSetWindowCloseCallback(window, [](GLFWwindow *w) {
            glfwSetWindowShouldClose(w, GLFW_FALSE); // the face decides
            self(w).events_.push_back({Event::Type::close, ""});
        });
        glfwSetFramebufferSizeCallback(window, [](GLFWwindow *w, int x, int y) {
            self(w).events_.push_back({Event::Type::resize, "", false, float(x), float(y)});
        });
        glfwSetWindowRefreshCallback(window, [](GLFWwindow *w) {
            int x, y;
            glfwGetFramebufferSize(w, &x, &y);
            self(w).events_.push_back({Event::Type::resize, "", false, float(x), float(y)});
        });
    }

    ~ScreenStage() override {
        if (begun_) ImGui_ImplOpenGL3_Shutdown();
        glfwDestroyWindow(window_);
        glfwTerminate();
    }

    void wait(double seconds) override {
        if (seconds <= 0)
            glfwPollEvents();
        else
            glfwWaitEventsTimeout(seconds);
    }

    void wake() override { glfwPostEmptyEvent(); }
    std::vector<Event> events() override { return std::exchange(events_, {}); }
    void size(int &width, int &height) const override { glfwGetFramebufferSize(window_, &width, &height); }

    void begin() override {
        if (!begun_) begun_ = ImGui_ImplOpenGL3_Init("#version 330 core");
        ImGui_ImplOpenGL3_NewFrame();
    }

    void present(ImDrawData *data) override {
        int width, height;
        size(width, height);
        gl_.viewport(0, 0, width, height);
        gl_.clear_color(0, 0, 0, 1);
        gl_.clear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(data);
        if (wanted_) take(*wanted_); // before the buffers are swapped
        glfwSwapBuffers(window_);
    }

    void read(Picture *to) override { wanted_ = to; }

    void title(const std::string &text) override { glfwSetWindowTitle(window_, text.c_str()); }
    void resize(int width, int height) override { glfwSetWindowSize(window_, width, height); }
    std::string renderer() const override { return renderer_; }
    bool software() const override { return software_; }
    bool seen() const override { return true; }

    std::uintptr_t texture(std::uintptr_t id, const Picture &pixels, bool smooth) override {
        if (id == 0) {
            GLuint made = 0;
            gl_.gen_textures(1, &made);
            id = made;
        }
        gl_.bind_texture(GL_TEXTURE_2D, GLuint(id));
        gl_.pixel_store(GL_UNPACK_ALIGNMENT, 4);
        gl_.pixel_store(GL_UNPACK_ROW_LENGTH, 0);
        const auto form = std::pair{pixels.width, pixels.height};
        if (auto &known = forms_[id]; known == form) {
            gl_.sub_image(GL_TEXTURE_2D, 0, 0, 0, pixels.width, pixels.height, GL_RGBA, GL_UNSIGNED_BYTE,
                          pixels.pixels.data());
        } else {
            gl_.image(GL_TEXTURE_2D, 0, GL_RGBA8, pixels.width, pixels.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      pixels.pixels.data());
            known = form;
        }
        gl_.parameter(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
        gl_.parameter(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
        gl_.parameter(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        gl_.parameter(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        return id;
    }

    void drop(std::uintptr_t id) override {
        const GLuint name = GLuint(id);
        gl_.delete_textures(1, &name);
        forms_.erase(id);
    }

  private:
    static ScreenStage &self(GLFWwindow *window) {
        return *static_cast<ScreenStage *>(glfwGetWindowUserPointer(window));
    }

    void take(Picture &to) {
        int width, height;
        size(width, height);
        to.resize(width, height);
        Picture below = to; // OpenGL's rows begin at the bottom
        gl_.read_buffer(GL_BACK);
        gl_.pixel_store(GL_PACK_ALIGNMENT, 4);
        gl_.read_pixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, below.pixels.data());
        for (int y = 0; y < height; ++y)
            std::transform(below.row(height - 1 - y), below.row(height - 1 - y) + width, to.row(y),
                           [](std::uint32_t c) { return c | 0xff000000u; });
    }

    GLFWwindow *window_;
    Gl gl_;
    std::string renderer_;
    bool software_ = false, begun_ = false;
    std::vector<Event> events_;
    std::map<std::uintptr_t, std::pair<int, int>> forms_;
    Picture *wanted_ = nullptr;
};

} // namespace

std::unique_ptr<Stage> open_screen(const WindowOptions &options, std::string &why) {
    static std::string said;
    glfwSetErrorCallback([](int, const char *text) { said = text; });
    if (!glfwInit()) {
        why = said;
        return nullptr;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_RESIZABLE, options.resizable);
    GLFWmonitor *monitor = options.fullscreen ? glfwGetPrimaryMonitor() : nullptr;
    GLFWwindow *window = glfwCreateWindow(options.width, options.height, options.title.c_str(), monitor, nullptr);
    if (!window) {
        why = said;
        glfwTerminate();
        return nullptr;
    }
    glfwMakeContextCurrent(window);
    glfwSwapInterval(options.vsync);
    Gl gl;
    if (!gl.load()) {
        why = "OpenGL lacks functions of version 3.3";
        glfwDestroyWindow(window);
        glfwTerminate();
        return nullptr;
    }
    if (!monitor) glfwSetWindowPos(window, options.x, options.y);
    glfwShowWindow(window);
    return std::make_unique<ScreenStage>(window, gl);
}

} // namespace qd::inspector
