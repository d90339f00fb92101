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
