"""What a call may raise when the world outside, not the caller, is the reason."""

from __future__ import annotations


class TransportError(RuntimeError):
    """A transport could not do as asked.

    Wrong arguments raise ``TypeError`` or ``ValueError`` instead, and expected outcomes (nothing
    claimable, a stale lease) are values.
    """

    def __init__(self, message: str, code: str, may_be_stored: bool = False) -> None:
        super().__init__(message)
        #: Why, in one word: ``full``, ``too_large``, ``not_found``, ``closed``, ``unavailable``, ..
        self.code = code
        #: Whether the operation may have taken effect all the same.
        self.may_be_stored = may_be_stored

    def __reduce__(self) -> tuple[object, ...]:
        return TransportError, (*self.args, self.code, self.may_be_stored)
