"""JavaScript regular expressions, as input shapes use them.

Python's differ, and can hold a process for ever; an engine's run under its limits.
Source: Definitions, Input shapes (`pattern`).
"""

from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.times import Instant

_TEST = 'new RegExp(pattern, "u").test(text)'


class PatternMatcher:
    """Tells whether a text fits a pattern, through an evaluator."""

    def __init__(self, *, evaluator: Evaluator) -> None:
        """Hold the evaluator."""
        self._evaluator = evaluator

    def matches(self, pattern: str, text: str) -> bool:
        """Tell whether the pattern is found in the text.

        Raises:
            ExpressionFault: it is no pattern, or searching passed the engine's limits.
        """
        scope = self._evaluator.open_scope(
            {"pattern": pattern, "text": text}, at=Instant(0), seed=""
        )
        try:
            return scope.evaluate(_TEST) is True
        finally:
            scope.close()
