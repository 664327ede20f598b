// MPICH's ranks poll UCX for messages without a pause while they wait. With this library loaded before UCX they yield their
// processor after each poll without a message, so that more ranks than processors take turns while they wait, rather than when
// their time slice is over.
#include <dlfcn.h>
#include <sched.h>
extern "C" unsigned ucp_worker_progress(void* worker) {
    static auto const original = reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
    unsigned const moved = original(worker);
    if (moved == 0) sched_yield();
    return moved;
}
