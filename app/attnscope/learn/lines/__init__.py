"""Lines of code that readers write. They are parsed, checked and evaluated, never executed."""

from attnscope.learn.lines.marking import LineMark, mark_line
from attnscope.learn.lines.steps import STEPS, Step

__all__ = ["STEPS", "LineMark", "Step", "mark_line"]
