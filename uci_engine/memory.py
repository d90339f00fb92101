"""The memory of the search: a size that can't be had is refused, and the one before it stays."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from core_ext.core import Searcher
    from uci_engine.options import Options
    from uci_engine.report import Output


class Size:
    """One thing that a searcher needs memory for, by the option that says how much of it."""

    def __init__(
        self, option: str, value: int, resize: Callable[[int], None], allocate: Callable[[], None]
    ) -> None:
        self.option = option
        self.resize = resize
        self.allocate = allocate
        # Those that the searcher took, the last of them in force; the first is one that it has
        # memory for, or the default.
        self.taken = [value]


class Memory:
    """Hands the sizes that the options ask for to a searcher that is idle."""

    def __init__(self, searcher: Searcher, options: Options, output: Output) -> None:
        self.options = options
        self.output = output
        self.sizes = (
            Size("hash_mb", options.hash_mb, searcher.set_hash, searcher.allocate_table),
            Size("threads", options.threads, searcher.set_threads, searcher.allocate_threads),
        )

    def resize(self) -> None:
        """Hand over what has changed, and say what is refused."""
        for size in self.sizes:
            wanted = self.options.values[size.option]
            try:
                if wanted != size.taken[-1]:
                    size.resize(wanted)
                    size.taken.append(wanted)
            except MemoryError as error:
                self.refuse(size, size.taken[-1], error)

    def allocate(self) -> None:
        """Where there was nothing before, only this finds out that a size can't be had; then the
        one that was taken before it has to do. A MemoryError if none can be had."""
        for size in self.sizes:
            while not self.try_to_allocate(size):
                size.taken.pop()
            del size.taken[:-1]

    def try_to_allocate(self, size: Size) -> bool:
        try:
            size.resize(size.taken[-1])
            size.allocate()
        except MemoryError as error:
            if len(size.taken) == 1:
                raise
            self.refuse(size, size.taken[-2], error)
            return False
        return True

    def refuse(self, size: Size, old: int, error: MemoryError) -> None:
        self.options.values[size.option] = old
        self.output.tell(f"{error}; it stays at {old}")
