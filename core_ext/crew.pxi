# Threads that work on one thing with the GIL released.

import threading


class Crew:
    """Starts threads and waits for them.

    Each thread reports its end to a queue. Joining would do, but for Ctrl-C: in some versions of
    Python an interrupted join() takes a running thread for a finished one.
    """

    def __init__(self, work, arguments):
        from queue import SimpleQueue
        self.ended = SimpleQueue()
        self.left = len(arguments)
        for values in arguments:
            threading.Thread(target=self.run, args=(work, values), daemon=True).start()

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
