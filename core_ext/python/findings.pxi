# What a search finds, as Python sees it. A fact that is to be told is declared here.

cimport cython

from collections import namedtuple


class SearchInfo(namedtuple("SearchInfo", (
        "depth", "seldepth", "multipv",
        "score",    # centipawns, from the mover's side
        "mate",     # in so many moves, negative for being mated; None
        "bound",    # "", "lowerbound" or "upperbound"
        "nodes", "hashfull", "tbhits", "time_ms", "pv"),
        defaults=(0, 1, 0, None, "", 0, 0, 0, 0, ()))):
    """What is known about one line: after an iteration, or a bound on the way."""
    __slots__ = ()


@cython.boundscheck(True)  # anybody can make one, of any list
class SearchResult(namedtuple("SearchResult", ("infos",))):
    """The outcome of a search: the last word on each line, best first, with the counts of all of
    the search. It is not reported once more."""
    __slots__ = ()

    @property
    def pv(self):
        return self.infos[0].pv

    @property
    def best(self):
        """The move to play; None without a legal one."""
        return self.pv[0] if self.pv else None

    @property
    def ponder(self):
        """The expected answer, if there is one."""
        return self.pv[1] if len(self.pv) > 1 else None

    @property
    def depth(self):
        return self.infos[0].depth

    @property
    def score(self):
        return self.infos[0].score

    @property
    def mate(self):
        return self.infos[0].mate

    @property
    def nodes(self):
        return self.infos[0].nodes

    @property
    def time_ms(self):
        return self.infos[0].time_ms


cdef enum:
    TOLD_WIN = 20000  # what other engines say when the tablebases know of a win


cdef int centipawns(int score) noexcept:
    """What is told of a score; certain wins by the tablebases have a place of their own."""
    if not is_certain(score) or is_mate_score(score):
        return score
    if score > 0:
        return TOLD_WIN - (TABLEBASE_WIN - score)
    return (TABLEBASE_WIN + score) - TOLD_WIN


cdef int outcome_score(int outcome) noexcept:
    """A win or loss that the fifty-move rule spoils is a draw."""
    return TABLEBASE_WIN if outcome == WON else -TABLEBASE_WIN if outcome == LOSS else 0


cdef object mate_distance(int score):
    """Full moves to the mate, negative for being mated; None for other scores."""
    if score >= LEAST_MATE:
        return (MATE - score + 1) // 2
    return -((MATE + score) // 2) if score <= -LEAST_MATE else None


cdef object describe_no_move(bint in_check):
    """The one line about a position without a legal move."""
    return SearchInfo(0, score=-MATE if in_check else 0, mate=0 if in_check else None, pv=[])
