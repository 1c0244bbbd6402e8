"""The error tree: classes by who has to act, each with a stable code.

Exit statuses and texts for people are decided in `entrypoints.cli.exits`.
Source: house style, Errors.
"""

from typing import ClassVar


class CorbieError(Exception):
    """Anything Corbie raises on purpose; its text is one plain sentence."""

    code: ClassVar[str] = "error"


class Refusal(CorbieError):
    """What was asked for is wrong; its author must change it."""

    code: ClassVar[str] = "refused"


class ValueRefused(Refusal):
    """A text or value from outside does not have the form it must have."""

    code: ClassVar[str] = "bad_value"


class NotAllowed(Refusal):
    """A party asked a store for what the access table does not give it."""

    code: ClassVar[str] = "not_allowed"

    def __init__(self, *, party: str, action: str, path: str) -> None:
        """Hold who wanted to do what, and where."""
        super().__init__(f"{party} may not {action} {path}")
        self.party = party
        self.action = action
        self.path = path


class NotFound(Refusal):
    """A run, party, page or file that was named does not exist."""

    code: ClassVar[str] = "not_found"


class SetupRefused(Refusal):
    """The configuration, a key file or the store cannot be used as it stands."""

    code: ClassVar[str] = "bad_setup"


class ExpressionFault(Refusal):
    """An expression cannot be read or evaluated; `source` is the expression's own text.

    `offset` is where in the source, in characters, if known.
    """

    code: ClassVar[str] = "bad_expression"

    def __init__(self, what: str, *, source: str, offset: int | None = None) -> None:
        """Hold what is wrong with which expression."""
        super().__init__(what)
        self.what = what
        self.source = source
        self.offset = offset


class Untrusted(CorbieError):
    """A file is not what it claims; `check` names the check it failed, `path` the file.

    Source: The store, A file (the order of checks).
    """

    code: ClassVar[str] = "untrusted"

    def __init__(self, *, path: str, check: str, what: str) -> None:
        """Hold the file, the check and what the check found."""
        super().__init__(f"{path}: refused by the check of {check}: {what}")
        self.path = path
        self.check = check
        self.what = what


class Expired(Untrusted):
    """A message was read after its `until`, and everything before that check passed."""

    code: ClassVar[str] = "expired"


class CryptoFault(CorbieError):
    """A signature, a sealed text or a blob does not open; the caller knows which file it is."""

    code: ClassVar[str] = "crypto"


class Conflict(CorbieError):
    """Another writer was first; read again and decide."""

    code: ClassVar[str] = "conflict"


class AlreadyExists(Conflict):
    """A file is at the path that should have been new."""

    code: ClassVar[str] = "already_exists"

    def __init__(self, *, path: str) -> None:
        """Hold the path."""
        super().__init__(f"{path} already exists")
        self.path = path


class Changed(Conflict):
    """The file is not the one that was last read, or is gone."""

    code: ClassVar[str] = "changed"

    def __init__(self, *, path: str) -> None:
        """Hold the path."""
        super().__init__(f"{path} was changed by another writer")
        self.path = path


class Unavailable(CorbieError):
    """The outside failed and may recover; what was asked may be done or not done."""

    code: ClassVar[str] = "unavailable"


class StoreUnavailable(Unavailable):
    """The store did not answer, is full or cannot be written."""

    code: ClassVar[str] = "store_unavailable"


class EvaluatorLost(Unavailable):
    """The process that evaluates expressions ended under one."""

    code: ClassVar[str] = "evaluator_lost"


class Bug(CorbieError):
    """An invariant is broken; stop. Raised by `domain.invariants` only."""

    code: ClassVar[str] = "bug"
