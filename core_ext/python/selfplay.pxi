# What Python sees of games against itself: a player for each thread, and the positions of games.


cdef class SelfPlayer:
    """Plays games with the GIL released. One for each thread."""
    cdef SharedC shared
    cdef SelfPlayC settings
    cdef GameC* game
    cdef PositionC* line
    cdef Network network

    def __cinit__(self, *, Network network=None, int hash_mb=4, u64 soft_nodes=1000,
                  u64 hard_nodes=8000, int random_plies=8, int lost_opening=400,
                  int win_score=1500, int win_plies=6, int draw_score=8, int draw_plies=12,
                  int draw_from=80, int longest=400):
        checked_number("the hash size", hash_mb, 1, HASH_MB_LIMIT)
        self.shared.report = say_nothing
        self.network = network
        self.shared.network = NULL if network is None else &network.network
        self.settings = SelfPlayC(
            soft_nodes, hard_nodes,
            checked_number("the number of random plies", random_plies, 0, 100),
            lost_opening, win_score,
            checked_number("the plies of a won game", win_plies, 1, LONGEST_GAME), draw_score, draw_plies, draw_from,
            checked_number("the longest game", longest, 1, LONGEST_GAME), 0)
        self.game = <GameC*>calloc(1, sizeof(GameC))
        self.line = <PositionC*>calloc(LONGEST_GAME + 102, sizeof(PositionC))
        self.shared.threads = new_threads(&self.shared, 1)
        self.shared.thread_count = self.shared.threads != NULL
        if (self.game == NULL or self.line == NULL or self.shared.threads == NULL
                or not allocate_table(&self.shared.table, hash_mb)):
            raise MemoryError("no memory for self-play")
        self.line[0] = START_POSITION

    def __dealloc__(self):
        free_threads(self.shared.threads, self.shared.thread_count)
        free(self.shared.table.clusters)
        free(self.line)
        free(self.game)

    def stop(self):
        """End the game in hand, and let no other begin. Another thread may call it, now and then
        until the game has ended: a search that is just beginning may miss it."""
        store_relaxed(&self.settings.stopped, 1)
        store_relaxed(&self.shared.stop, 1)

    def play(self, seed):
        """The game of this seed, whatever was played before, as bytes; None if it was stopped."""
        cdef u64 random = checked_number("the seed", seed, 0, 2**64 - 1)
        cdef bint played
        with nogil:
            played = play_game(self.game, self.shared.threads[0], self.line, &random,
                               &self.settings)
        if load_relaxed(&self.settings.stopped):
            return None
        if not played:
            raise MemoryError("no memory for a game")
        return (<const char*>self.game)[:game_size(&self.game.start)]


def check_games(source):
    """How many games and how many plies the bytes hold; ValueError if they are no games."""
    cdef BufferView data = BufferView(source, False, 1, len(source))
    cdef const char* bytes_left = <const char*>data.view.buf
    cdef Py_ssize_t left = data.view.len, games = 0, plies = 0, size
    while left:
        if left < <Py_ssize_t>sizeof(PackedC):
            raise ValueError(f"game {games} is cut off")
        size = game_size(<const PackedC*>bytes_left)
        if game_plies(<const PackedC*>bytes_left) > LONGEST_GAME:
            raise ValueError(f"game {games} is no game of chess")
        if size > left:
            raise ValueError(f"game {games} is cut off")
        plies += game_plies(<const PackedC*>bytes_left)
        games += 1
        bytes_left += size
        left -= size
    return games, plies


def first_game_size(source):
    """How many bytes the first of some games has."""
    cdef BufferView data = BufferView(source, False, 1, len(source))
    if data.view.len < <Py_ssize_t>sizeof(PackedC):
        raise ValueError("game 0 is cut off")
    return game_size(<const PackedC*>data.view.buf)


def expand_games(source, target, int first_ply, int largest_score, bint noisy):
    """Write the wanted positions of games, with scores and results; how many there are. The target
    has room for one position a ply."""
    cdef Py_ssize_t games, plies, index, written = 0, count = 0
    games, plies = check_games(source)
    cdef BufferView data = BufferView(source, False, 1, len(source))
    cdef BufferView room = BufferView(target, True, sizeof(PackedC), plies)
    cdef const char* bytes_left = <const char*>data.view.buf
    cdef FilterC filter = FilterC(first_ply, largest_score, noisy)
    index = 0
    with nogil:
        while index < games:
            count = expand_game(<PackedC*>room.view.buf + written, <const PackedC*>bytes_left,
                                &filter)
            if count < 0:
                break
            written += count
            bytes_left += game_size(<const PackedC*>bytes_left)
            index += 1
    if index < games:
        raise ValueError(f"game {index} is no game of chess")
    return written
