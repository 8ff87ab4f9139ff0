"""Texts of the model cards."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    shows: str
    data: str
    limits: str


PROBE = (
    "Heads are measured on 16 rows of 32 random ids that come twice. Induction: the mean weight, "
    "in the second copy, on the key after the first copy of the query's id. Previous token: the "
    "mean weight on the key before. Foreseen: the likeliest id is the one that comes. A name is "
    "completed if its first piece is the likeliest; no name stands in the texts."
)
EVERYDAY = "Everyday words are the 2,000 commonest of WordNet's example sentences."
NO_KNOWLEDGE = (
    "It knows nothing and is for looking at, not for use. What it writes has the sound of its "
    "texts and their views of the world, which are those of their time."
)
TASK_DATA = (
    "Problems drawn at random by a script; one in ten, by a checksum of the problem, is never "
    "trained on. Script and weights have the licence of this repository."
)
TASK_LIMITS = (
    "It has seen problems of this form and these lengths alone: anything else gets an answer that "
    "means nothing. `?` stands for every character that is in no problem."
)

TEXTS = {
    "echo": About(
        "A decoder that says again what it has read: a head of layer 0 looks at the token before, "
        "and heads of layer 1 look at what followed the same token earlier (induction heads, "
        "Olsson et al. 2022).",
        "The King James Bible (Debian packages bible-kjv and bible-kjv-text), the six novels of "
        "Jane Austen (r-cran-janeaustenr), and the definitions and example sentences of WordNet "
        "3.0 (wordnet-base). The books are in the public domain, but for rights of the Crown in "
        "this Bible in the United Kingdom; WordNet 3.0 is copyright 2006 by Princeton University, "
        "whose licence allows any use without fee. The last twentieth of each is held out. "
        "The weights have the licence of this repository.",
        NO_KNOWLEDGE,
    ),
    "echo-zh": About(
        "echo for Chinese, a character a token: a head of layer 0 looks at the character before, "
        "and heads of layer 1 look at what followed the same character earlier.",
        "Poems of the Tang in the npm package chinese-poetry (MIT), in simplified characters by "
        "OpenCC (Apache 2.0). The poems are in the public domain; the last twentieth is held out. "
        "The commonest characters have a piece each, all others are spelled in bytes of UTF-8. "
        "The weights have the licence of this repository.",
        NO_KNOWLEDGE + " It has read classical verse, and modern sentences surprise it.",
    ),
    "reversal": About(
        "Turns 3 to 8 letters and digits round, `a7f3>3f7a.`: while it writes, the weights run "
        "along the other diagonal, from the last character to the first.",
        TASK_DATA,
        TASK_LIMITS,
    ),
    "sorting": About(
        "Sorts 3 to 8 digits, none of them twice, `38140>01348.`: while it writes, a head looks at "
        "the digit that comes next, wherever it stands.",
        TASK_DATA,
        TASK_LIMITS,
    ),
    "addition": About(
        "Adds two numbers of two digits, `47+85=231.`: the sum is written from its last digit, as "
        "one adds by hand (47 + 85 = 132), and has three digits. A head of layer 0 looks from "
        "each digit of the second number at the one of its column in the first.",
        TASK_DATA,
        TASK_LIMITS,
    ),
}
