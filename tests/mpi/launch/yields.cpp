// MPICH's ranks ask UCX for messages without a pause while they wait. With this library in front of UCX they give up their
// processor after each time that there was none, so that more ranks than processors take turns when they wait, not when their
// time is over.
#include <dlfcn.h>
#include <sched.h>
extern "C" unsigned ucp_worker_progress(void* worker) {
    static auto const original = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
    unsigned const moved = original(worker);
    if (moved == 0) sched_yield();
    return moved;
}
