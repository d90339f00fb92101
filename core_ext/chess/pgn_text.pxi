# The text of PGN: its lines and tags, where games end, and the numbers that comments tell.

from libc.string cimport memchr, strlen
from libc.math cimport NAN

cdef enum:
    NO_SCORE = -32768
    LARGEST_PGN_SCORE = 30000

cdef struct SpanC:
    Py_ssize_t start
    Py_ssize_t length

cdef struct TagC:
    SpanC name
    SpanC value


# Lines of text.

cdef inline bint is_line_end(char letter) noexcept nogil:
    return letter == c'\n' or letter == c'\r'


cdef inline bint is_space(char letter) noexcept nogil:
    """As Python sees it."""
    return is_blank(letter) or 28 <= letter <= 31


cdef Py_ssize_t line_end(const char* text, Py_ssize_t at, Py_ssize_t length) noexcept nogil:
    """The end of the line, before what ends it."""
    while at < length and not is_line_end(text[at]):
        at += 1
    return at


cdef Py_ssize_t next_line(const char* text, Py_ssize_t end, Py_ssize_t length) noexcept nogil:
    """The start of the line behind one that ends here."""
    if end + 1 < length and text[end] == c'\r' and text[end + 1] == c'\n':
        return end + 2
    return min(end + 1, length)


cdef bint is_empty_line(const char* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    while start < end and is_space(text[start]):
        start += 1
    return start == end


cdef inline bint is_tag_letter(char letter, bint first) noexcept nogil:
    return (c'a' <= letter <= c'z' or c'A' <= letter <= c'Z' or c'0' <= letter <= c'9'
            or (not first and find_letter(b"_+#=:-", 6, letter) >= 0))


cdef bint read_tag(TagC* tag, const char* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """A line such as [White "Name"]; the value reaches to the line's last quotation mark."""
    cdef Py_ssize_t at = start + 1
    while end > start and is_space(text[end - 1]):
        end -= 1
    tag.name.start = at
    while at < end and is_tag_letter(text[at], at == start + 1):
        at += 1
    tag.name.length = at - tag.name.start
    if tag.name.length == 0 or at == end or not is_space(text[at]):
        return False
    while at < end and is_space(text[at]):
        at += 1
    tag.value.start = at + 1
    tag.value.length = end - 2 - tag.value.start
    return (tag.value.length >= 0 and text[start] == c'[' and text[at] == c'"'
            and text[end - 2] == c'"' and text[end - 1] == c']')


cdef Py_ssize_t skip_mark(const char* text, Py_ssize_t at, Py_ssize_t length) noexcept nogil:
    """Behind a byte-order mark: files may have been put together."""
    return at + 3 if length - at >= 3 and memcmp(text + at, b"\xef\xbb\xbf", 3) == 0 else at


# Where a game ends.

cdef enum ScanState:
    BEFORE_GAME
    IN_TAGS
    IN_MOVES

cdef enum:
    NEEDS_MORE = -1


cdef bint starts_event(const char* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    return end - start > 8 and memcmp(text + start, b"[Event \"", 8) == 0


cdef bint leaves_comment_open(const char* text, Py_ssize_t at, Py_ssize_t end,
                              bint is_open) noexcept nogil:
    """Is a comment open at the end of a line?"""
    while at < end:
        if is_open:
            is_open = text[at] != c'}'
        elif text[at] == c'{':
            is_open = True
        elif text[at] == c';':
            return False
        at += 1
    return is_open


cdef Py_ssize_t find_game_end(const char* text, Py_ssize_t at, Py_ssize_t length,
                              bint at_end) noexcept nogil:
    """Where the game ends that starts here, at a line's start, or NEEDS_MORE of the text.

    A blank line ends the moves, and two of them the tags. So does a tag behind the moves; and a
    comment that nobody has closed ends where, behind a blank line, the next game starts.
    """
    cdef ScanState state = BEFORE_GAME
    cdef bint in_comment = False, after_empty = False, is_empty, is_note
    cdef Py_ssize_t end
    cdef TagC tag
    while at < length:
        if state == BEFORE_GAME:
            at = skip_mark(text, at, length)
        end = line_end(text, at, length)
        if not at_end and end + 1 >= length:
            return NEEDS_MORE
        is_empty = is_empty_line(text, at, end)
        is_note = not in_comment and (text[at] == c'%' or text[at] == c';')
        if in_comment:
            if after_empty and starts_event(text, at, end):
                return at
            in_comment = leaves_comment_open(text, at, end, True)
        elif is_empty:
            if state == IN_MOVES or (state == IN_TAGS and after_empty):
                return next_line(text, end, length)
        elif not is_note:
            if state == IN_MOVES and text[at] == c'[' and read_tag(&tag, text, at, end):
                return at
            if text[at] == c'[' and state != IN_MOVES:
                state = IN_TAGS
            else:
                state = IN_MOVES
                in_comment = leaves_comment_open(text, at, end, False)
        after_empty = is_empty or (is_note and after_empty)
        at = next_line(text, end, length)
    return length if at_end else NEEDS_MORE


cdef Py_ssize_t skip_to_game(const char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Over lines that are blank or a note."""
    cdef Py_ssize_t stop
    while at < end:
        at = skip_mark(text, at, end)
        stop = line_end(text, at, end)
        if at < end and text[at] != c'%' and text[at] != c';' and not is_empty_line(text, at, stop):
            return at
        at = next_line(text, stop, end)
    return end


cdef Py_ssize_t find_last_end(const char* text, Py_ssize_t length) noexcept nogil:
    """The end of the last whole game of a text that goes on, or 0."""
    cdef Py_ssize_t last = 0, end = 0
    while end != NEEDS_MORE:
        last = end
        end = find_game_end(text, end, length, False)
    return last


# What tags and comments say.

cdef bint span_is(const char* text, SpanC span, const char* word) noexcept nogil:
    """Is this the word, in whatever case?"""
    cdef Py_ssize_t at
    for at in range(span.length):
        if word[at] == 0 or upper(text[span.start + at]) != upper(word[at]):
            return False
    return word[span.length] == 0


cdef bint is_named(const char* text, TagC tag, const char* name) noexcept nogil:
    return strlen(name) == <size_t>tag.name.length and \
        memcmp(text + tag.name.start, name, tag.name.length) == 0


cdef bint is_chess960_name(const char* text, SpanC span) noexcept nogil:
    return (span_is(text, span, b"chess960") or span_is(text, span, b"chess 960")
            or span_is(text, span, b"fischerandom") or span_is(text, span, b"fischerrandom")
            or span_is(text, span, b"fischer random"))


cdef bint is_standard_name(const char* text, SpanC span) noexcept nogil:
    return (span_is(text, span, b"standard") or span_is(text, span, b"chess")
            or span_is(text, span, b"classical") or span_is(text, span, b"normal")
            or span_is(text, span, b"from position") or span_is(text, span, b"illegal")
            or (span.length >= 5 and memcmp(text + span.start, b"wild/", 5) == 0))


cdef int read_elo(const char* text, SpanC span) noexcept nogil:
    cdef FieldC field
    field.text = text + span.start
    field.length = <int>min(span.length, 8)
    return max(parse_number(field, 9999), 0)


cdef Py_ssize_t find_command(const char* text, SpanC span, const char* command) noexcept nogil:
    """Where the value of [%command value] starts, or -1; the command has four or five letters."""
    cdef Py_ssize_t at = span.start, end = span.start + span.length
    cdef Py_ssize_t size = 4 if command[4] == 0 else 5
    cdef const char* found
    while at < end:
        found = <const char*>memchr(text + at, c'%', end - at)
        if found == NULL:
            return -1
        at = found - text
        if (at > span.start and text[at - 1] == c'[' and end - at > size + 1
                and memcmp(found, command, size) == 0 and is_space(text[at + size])):
            return at + size + 1
        at += 1
    return -1


cdef bint read_decimal(double* number, const char* text, Py_ssize_t* at,
                       Py_ssize_t end) noexcept nogil:
    """Digits with perhaps a point among them; false if there are none."""
    cdef double unit = 1
    cdef bint has_digits = False, behind_point = False
    number[0] = 0
    while at[0] < end:
        if c'0' <= text[at[0]] <= c'9':
            has_digits = True
            number[0] = number[0] * 10 + (text[at[0]] - c'0')
            if behind_point:
                unit *= 10
        elif text[at[0]] == c'.' and not behind_point:
            behind_point = True
        else:
            break
        at[0] += 1
    number[0] /= unit
    return has_digits


cdef int read_score(const char* text, SpanC span) noexcept nogil:
    """The centipawns of [%eval], from White; a mate is MATE less its moves; or NO_SCORE."""
    cdef Py_ssize_t at = find_command(text, span, b"%eval")
    cdef Py_ssize_t end = span.start + span.length
    cdef bint is_mate = False, is_negative = False
    cdef double number
    cdef int score
    if at < 0 or at >= end:
        return NO_SCORE
    is_mate = text[at] == c'#'
    at += is_mate
    if at < end and (text[at] == c'-' or text[at] == c'+'):
        is_negative = text[at] == c'-'
        at += 1
    if not read_decimal(&number, text, &at, end) or at >= end:
        return NO_SCORE
    if text[at] != c']' and text[at] != c',':
        return NO_SCORE
    if is_mate:
        score = MATE - <int>min(number, 1000.0)
    else:
        score = <int>(min(number * 100, <double>LARGEST_PGN_SCORE) + 0.5)
    return -score if is_negative else score


cdef float read_clock(const char* text, SpanC span, const char* command) noexcept nogil:
    """The seconds of [%clk h:mm:ss] or [%emt h:mm:ss], or NaN."""
    cdef Py_ssize_t at = find_command(text, span, command)
    cdef Py_ssize_t end = span.start + span.length
    cdef double seconds = 0, number
    cdef int part
    if at < 0:
        return NAN
    for part in range(3):
        if not read_decimal(&number, text, &at, end) or at >= end:
            return NAN
        if text[at] != (c']' if part == 2 else c':'):
            return NAN
        seconds = seconds * 60 + number
        at += 1
    return <float>seconds
