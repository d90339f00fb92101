# Games of the engine against itself, from random openings, at a few nodes a move.

cdef enum:
    WHITE_WINS = 2
    DRAW = 1
    BLACK_WINS = 0
    NOT_OVER = 3

cdef struct SelfPlayC:
    u64 soft_nodes         # no new iteration after so many nodes
    u64 hard_nodes         # the search ends
    int random_plies       # or one more, so that either side begins
    int lost_opening       # a random opening with a larger score teaches nothing
    int win_score          # games are given up at such scores for so many plies
    int win_plies
    int draw_score         # and agreed drawn
    int draw_plies
    int draw_from
    int longest
    u64 stopped            # set by another thread: the game in hand is not wanted any more

# For how many plies a game has looked decided.
cdef struct JudgeC:
    int winning            # for White; below zero for Black
    int drawn


cdef void say_nothing(ThreadC* t, int bound) noexcept nogil:
    """The report of a search that nobody listens to."""


cdef bint play_random_opening(PositionC* line, int plies, u64* random) noexcept nogil:
    """Fill a line of positions from its first one on; False if the game is over at its end."""
    cdef MoveC moves[MAX_MOVES]
    cdef int ply, count
    for ply in range(plies):
        count = <int>(generate_legal(moves, &line[ply]) - moves)
        if count == 0:
            return False
        make_move(&line[ply + 1], &line[ply], moves[next_random(random) % <u64>count])
    return count_legal(&line[plies]) > 0


cdef bint choose_move(ThreadC* t, const PositionC* line, int length,
                      const SelfPlayC* settings) noexcept nogil:
    """Search the last position of a line; the answer is the first root move. False without memory,
    or if it was told to stop."""
    cdef MoveC moves[MAX_MOVES]
    cdef SharedC* shared = t.shared
    cdef int count = <int>(generate_legal(moves, &line[length]) - moves)
    if not set_root_position(t, &line[length], line, length):
        return False
    set_root_moves(t, moves, count, 1)
    shared.limits.soft_nodes = settings.soft_nodes
    shared.limits.nodes = settings.hard_nodes
    shared.table.age = (shared.table.age + 1) % AGE_CYCLE
    store_relaxed(&shared.stop, 0)
    if load_relaxed(&settings.stopped):
        return False
    iterate(t)
    return True


cdef int find_result(const PositionC* line, int length) noexcept nogil:
    """By the rules; a third repetition and fifty moves end a game at once."""
    cdef const PositionC* pos = &line[length]
    cdef int back, seen = 1
    if count_legal(pos) == 0:
        if pos.checkers == 0:
            return DRAW
        return BLACK_WINS if pos.side == WHITE else WHITE_WINS
    if pos.rule50 >= 100 or has_insufficient_material(pos):
        return DRAW
    for back in range(2, min(<int>pos.rule50, length) + 1, 2):
        if line[length - back].key == pos.key:
            seen += 1
    return DRAW if seen >= 3 else NOT_OVER


cdef int judge_score(JudgeC* judge, int score, int ply, const SelfPlayC* settings) noexcept nogil:
    """By the scores, from White's side: games that are as good as over."""
    if score >= settings.win_score:
        judge.winning = max(judge.winning, 0) + 1
    elif score <= -settings.win_score:
        judge.winning = min(judge.winning, 0) - 1
    else:
        judge.winning = 0
    judge.drawn = judge.drawn + 1 if abs(score) <= settings.draw_score else 0
    if abs(judge.winning) >= settings.win_plies:
        return WHITE_WINS if judge.winning > 0 else BLACK_WINS
    if (judge.drawn >= settings.draw_plies and ply >= settings.draw_from) or (
            ply >= settings.longest):
        return DRAW
    return NOT_OVER


cdef bint begin_game(ThreadC* t, PositionC* line, int plies, u64* random,
                     const SelfPlayC* settings) noexcept nogil:
    """An opening that neither side has lost yet. False without memory, or if it was told to stop."""
    while True:
        if not play_random_opening(line, plies, random):
            continue
        if not choose_move(t, line, plies, settings):
            return False
        if abs(t.roots[0].score) <= settings.lost_opening:
            return True


cdef bint play_game(GameC* game, ThreadC* t, PositionC* line, u64* random,
                    const SelfPlayC* settings) noexcept nogil:
    """A whole game. `line` has room for it and begins with the start position. False without
    memory, or if it was told to stop."""
    cdef int first = settings.random_plies + <int>(next_random(random) & 1)
    cdef int ply = 0, score, result = NOT_OVER
    cdef JudgeC judge
    memset(&judge, 0, sizeof(JudgeC))
    clear_table(&t.shared.table)
    clear_thread(t)
    if not begin_game(t, line, first, random, settings):
        return False
    pack_position(&game.start, &line[first])
    while result == NOT_OVER:
        if not choose_move(t, line, first + ply, settings):
            return False
        score = t.roots[0].score if line[first + ply].side == WHITE else -t.roots[0].score
        game.plies[ply].move = t.roots[0].move
        game.plies[ply].score = <int16_t>score
        make_move(&line[first + ply + 1], &line[first + ply], t.roots[0].move)
        ply += 1
        result = find_result(line, first + ply)
        if result == NOT_OVER:
            result = judge_score(&judge, score, ply, settings)
    game.start.score = <int16_t>ply
    game.start.result = <u8>result
    return True
