# Threads that work on one thing with the GIL released.

import _thread


class Crew:
    """Starts threads and waits for them.

    Where no more threads can be had, those that were started do the work. Nothing waits until a
    new thread really runs: on a busy machine that takes milliseconds for each.

    Each thread reports its end to a queue. Joining would do, but for Ctrl-C: in some versions of
    Python an interrupted join() takes a running thread for a finished one.
    """

    def __init__(self, work, arguments):
        from queue import SimpleQueue
        self.ended = SimpleQueue()
        self.left = 0
        for values in arguments:
            try:
                _thread.start_new_thread(self.run, (work, values))
            except RuntimeError:
                break
            self.left += 1

    def run(self, work, values):
        try:
            work(*values)
        finally:
            self.ended.put(None)

    def wait(self, timeout=None):
        """Have all ended within so many seconds?"""
        from queue import Empty
        while self.left:
            try:
                self.ended.get(timeout=timeout)
            except Empty:
                return False
            self.left -= 1
        return True


cdef bint is_main_thread() except -1:
    """The only one in which Python hears signals."""
    from threading import get_ident, main_thread
    return get_ident() == main_thread().ident


# ---- the end of the interpreter

import atexit
import os

cdef double ENDING_PATIENCE_S = 5.0

# What threads are doing with the GIL released, and how many are at it.
cdef dict AT_WORK = {}
cdef bint is_ending = False


cdef int begin_work(thing) except -1:
    """Before the GIL is released for long: the thing can be told to stop at the end."""
    if is_ending:
        raise SystemExit  # which ends a thread in silence
    AT_WORK[thing] = AT_WORK.get(thing, 0) + 1
    return 0


cdef int end_work(thing) except -1:
    left = AT_WORK.get(thing, 0) - 1
    if left > 0:
        AT_WORK[thing] = left
    else:
        AT_WORK.pop(thing, None)
    return 0


def _end_all_work():
    """A thread that comes back to an interpreter that has gone takes the process down with it."""
    global is_ending
    from time import monotonic, sleep
    is_ending = True
    for thing in list(AT_WORK):
        thing.stop()
    deadline = monotonic() + ENDING_PATIENCE_S
    while AT_WORK and monotonic() < deadline:
        sleep(0.001)


atexit.register(_end_all_work)
os.register_at_fork(after_in_child=AT_WORK.clear)  # the threads stay with the parent
