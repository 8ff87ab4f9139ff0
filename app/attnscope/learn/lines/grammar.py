"""Parse a line into a tree.

line       = choice
choice     = or [ "if" or "else" choice ]
or         = and { "or" and };  and = not { "and" not };  not = [ "not" ] comparison
comparison = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ]
sum        = product { ("+" | "-") product };  product = sign { ("*" | "/") sign }
sign       = [ "-" | "+" ] power;  power = atom [ "**" sign ]
atom       = number | name | name "[" choice { "," choice } "]" | "(" choice ")"
           | name "(" choice ( { "," choice } | "for" name "in" range ) ")"
range      = name | "range" "(" name ")"
"""

from __future__ import annotations

from attnscope.learn.lines.steps import RANGES
from attnscope.learn.lines.tokens import Token, tokens
from attnscope.learn.lines.tree import (
    COMPARISONS,
    Binary,
    Call,
    Choice,
    Index,
    LineError,
    Loop,
    Name,
    Node,
    Number,
    Unary,
)

DEEPEST = 40  # most nested brackets and signs
VALUE = "value"  # a number, a name or a bracket
WORDS = frozenset({"if", "else", "for", "in", "and", "or", "not"})
OF_SIZE = {size: name for name, size in RANGES.items()}  # range(n) is N


def parse(line: str) -> Node:
    """Raises LineError."""
    found = tokens(line)
    if len(found) == 1:
        raise LineError("empty", 0)
    parser = _Parser(found)
    tree = parser.choice()
    parser.end()
    return tree


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self.tokens, self.place, self.depth = found, 0, 0

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def takes(self, *texts: str) -> Token | None:
        token = self.next
        if token.kind in ("end", "number") or token.text not in texts:
            return None
        self.place += 1
        return token

    def expect(self, text: str) -> Token:
        token = self.takes(text)
        if token is None:
            raise self.unexpected(text)
        return token

    def unexpected(self, wanted: str) -> LineError:
        token = self.next
        if token.text == "=":
            return LineError("assignment", token.at)
        if token.kind == "end":
            kind = "ends_early" if wanted == VALUE else "ends"
            return LineError(kind, token.at, wanted=wanted)
        if wanted == VALUE:
            return LineError("no_value", token.at, found=token.text)
        return LineError("expected", token.at, wanted=wanted, found=token.text)

    def end(self) -> None:
        if self.next.kind == "end":
            return
        if self.next.text in (")", "]"):
            raise LineError("unopened", self.next.at, bracket=self.next.text)
        raise self.unexpected("+")

    def choice(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise LineError("too_deep", self.next.at, most=DEEPEST)
        yes = self.chain(0)
        if at := self.takes("if"):
            condition = self.chain(0)
            self.expect("else")
            yes = Choice(yes, condition, self.choice(), at.at)
        self.depth -= 1
        return yes

    # Left-associative operators, lowest precedence first.
    LEVELS = (("or",), ("and",), ("not",), tuple(COMPARISONS), ("+", "-"), ("*", "/"))

    def chain(self, level: int) -> Node:
        if level == len(self.LEVELS):
            return self.sign()
        if level == 2 and (at := self.takes("not")):
            return Unary("not", self.chain(level + 1), at.at)
        left = self.chain(level + 1)
        while at := self.takes(*self.LEVELS[level]):
            right = self.chain(level + 1)
            left = Binary(at.text, left, right, at.at)
            if level == 3 and self.next.text in COMPARISONS:
                raise LineError("two_comparisons", self.next.at)
        return left

    def sign(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise LineError("too_deep", self.next.at, most=DEEPEST)
        try:
            if at := self.takes("-"):
                return Unary("-", self.sign(), at.at)
            if self.takes("+"):
                return self.sign()
            return self.power()
        finally:
            self.depth -= 1

    def power(self) -> Node:
        base = self.atom()
        if at := self.takes("**"):
            return Binary("**", base, self.sign(), at.at)
        return base

    def atom(self) -> Node:
        token = self.next
        if self.takes("("):
            inner = self.choice()
            self.expect(")")
            return inner
        if token.kind == "number":
            self.place += 1
            return Number(float(token.text), token.at)
        if token.kind != "name" or token.text in WORDS:
            raise self.unexpected(VALUE)
        self.place += 1
        if self.takes("["):
            return self.index(token)
        if self.takes("("):
            return self.call(token)
        return Name(token.text, token.at)

    def index(self, token: Token) -> Node:
        """Parse the rest of q[i, c] or q[i][c]."""
        indices = [self.choice()]
        while self.takes(","):
            indices.append(self.choice())
        self.expect("]")
        while self.takes("["):
            indices.append(self.choice())
            self.expect("]")
        return Index(token.text, tuple(indices), token.at)

    def call(self, token: Token) -> Node:
        arguments = [self.choice()]
        if self.takes("for"):
            variable = self.name()
            self.expect("in")
            loop = Loop(token.text, arguments[0], variable.text, self.range(), token.at)
            self.expect(")")
            return loop
        while self.takes(","):
            arguments.append(self.choice())
        self.expect(")")
        return Call(token.text, tuple(arguments), token.at)

    def name(self) -> Token:
        token = self.next
        if token.kind != "name" or token.text in WORDS:
            raise self.unexpected("j")
        self.place += 1
        return token

    def range(self) -> str:
        token = self.name()
        if token.text != "range":
            return token.text
        self.expect("(")
        size = self.name()
        self.expect(")")
        return OF_SIZE.get(size.text, size.text)
