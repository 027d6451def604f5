#include "python/bind/timeline.h"

#include "engine/timeline.h"

namespace qd::bind {

PyObject *timeline() {
    PyObject *list = PyList_New(0);
    for (const engine::TimelineEvent &e : engine::timeline_events()) {
        PyObject *entry =
            list ? Py_BuildValue("(sssddi)", e.what, e.name.c_str(), e.of.c_str(), e.begin, e.length, int(e.thread))
                 : nullptr;
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list ? Py_BuildValue("(NK)", list, static_cast<unsigned long long>(engine::timeline_lost())) : nullptr;
}

} // namespace qd::bind
