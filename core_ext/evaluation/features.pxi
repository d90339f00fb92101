# The features of the classical evaluation: each group's place among the weights.

cdef enum:
    KING_ATTACK_STEPS = 40

cdef enum:
    W_MATERIAL = 0
    W_SQUARES = W_MATERIAL + 5
    W_KING_SQUARES = W_SQUARES + 160
    W_MOBILITY_KNIGHT = W_KING_SQUARES + 64
    W_MOBILITY_BISHOP = W_MOBILITY_KNIGHT + 9
    W_MOBILITY_ROOK = W_MOBILITY_BISHOP + 14
    W_MOBILITY_QUEEN = W_MOBILITY_ROOK + 15
    W_BISHOP_PAIR = W_MOBILITY_QUEEN + 28
    W_OUTPOST = W_BISHOP_PAIR + 1
    W_BEHIND_PAWN = W_OUTPOST + 2
    W_MINOR_KING_DISTANCE = W_BEHIND_PAWN + 1
    W_BISHOP_PAWNS = W_MINOR_KING_DISTANCE + 2
    W_ROOK_FILE = W_BISHOP_PAWNS + 1
    W_ROOK_SEVENTH = W_ROOK_FILE + 2
    W_DOUBLED = W_ROOK_SEVENTH + 1
    W_ISOLATED = W_DOUBLED + 1
    W_ISOLATED_OPEN = W_ISOLATED + 1
    W_BACKWARD = W_ISOLATED_OPEN + 1
    W_SUPPORTED = W_BACKWARD + 1
    W_PHALANX = W_SUPPORTED + 8
    W_CANDIDATE = W_PHALANX + 8
    W_PASSED = W_CANDIDATE + 8
    W_PASSED_OWN_KING = W_PASSED + 8
    W_PASSED_ENEMY_KING = W_PASSED_OWN_KING + 8
    W_PASSED_BLOCKED = W_PASSED_ENEMY_KING + 8
    W_PASSED_FREE = W_PASSED_BLOCKED + 8
    W_PASSED_SAFE_STEP = W_PASSED_FREE + 8
    W_PASSED_DEFENDED = W_PASSED_SAFE_STEP + 8
    W_SHELTER = W_PASSED_DEFENDED + 8
    W_STORM = W_SHELTER + 32
    W_SAFE_CHECK = W_STORM + 32
    W_KING_ATTACK = W_SAFE_CHECK + 12
    W_THREAT_BY_PAWN = W_KING_ATTACK + KING_ATTACK_STEPS
    W_THREAT_BY_MINOR = W_THREAT_BY_PAWN + 6
    W_THREAT_BY_ROOK = W_THREAT_BY_MINOR + 6
    W_THREAT_BY_KING = W_THREAT_BY_ROOK + 6
    W_HANGING = W_THREAT_BY_KING + 1
    W_WEAK = W_HANGING + 1
    W_PUSH_THREAT = W_WEAK + 1
    W_SPACE = W_PUSH_THREAT + 1
    W_TEMPO = W_SPACE + 1
    WEIGHT_COUNT = W_TEMPO + 1

FEATURE_GROUPS = [
    ("material", W_MATERIAL),
    ("squares", W_SQUARES),
    ("king squares", W_KING_SQUARES),
    ("mobility knight", W_MOBILITY_KNIGHT),
    ("mobility bishop", W_MOBILITY_BISHOP),
    ("mobility rook", W_MOBILITY_ROOK),
    ("mobility queen", W_MOBILITY_QUEEN),
    ("bishop pair", W_BISHOP_PAIR),
    ("outpost", W_OUTPOST),
    ("behind pawn", W_BEHIND_PAWN),
    ("minor king distance", W_MINOR_KING_DISTANCE),
    ("bishop pawns", W_BISHOP_PAWNS),
    ("rook file", W_ROOK_FILE),
    ("rook seventh", W_ROOK_SEVENTH),
    ("doubled", W_DOUBLED),
    ("isolated", W_ISOLATED),
    ("isolated open", W_ISOLATED_OPEN),
    ("backward", W_BACKWARD),
    ("supported", W_SUPPORTED),
    ("phalanx", W_PHALANX),
    ("candidate", W_CANDIDATE),
    ("passed", W_PASSED),
    ("passed own king", W_PASSED_OWN_KING),
    ("passed enemy king", W_PASSED_ENEMY_KING),
    ("passed blocked", W_PASSED_BLOCKED),
    ("passed free", W_PASSED_FREE),
    ("passed safe step", W_PASSED_SAFE_STEP),
    ("passed defended", W_PASSED_DEFENDED),
    ("shelter", W_SHELTER),
    ("storm", W_STORM),
    ("safe check", W_SAFE_CHECK),
    ("king attack", W_KING_ATTACK),
    ("threat by pawn", W_THREAT_BY_PAWN),
    ("threat by minor", W_THREAT_BY_MINOR),
    ("threat by rook", W_THREAT_BY_ROOK),
    ("threat by king", W_THREAT_BY_KING),
    ("hanging", W_HANGING),
    ("weak", W_WEAK),
    ("push threat", W_PUSH_THREAT),
    ("space", W_SPACE),
    ("tempo", W_TEMPO),
]
"""The groups by name and first weight; each ends where the next one begins."""
