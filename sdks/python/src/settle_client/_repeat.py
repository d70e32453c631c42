"""The time for a call and the pauses between its attempts."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from ._errors import NoResponseError, SettleError

Result = TypeVar("Result")

MIN_PAUSE_S = 0.25
MAX_PAUSE_S = 8.0


class Deadline:
    """The end of the time for one call with all of its attempts."""

    def __init__(self, timeout_s: float) -> None:
        self._ends_at_s = time.monotonic() + timeout_s

    def left_s(self) -> float:
        """Returns the time left, at least 0."""
        return max(0.0, self._ends_at_s - time.monotonic())


def repeat(work: Callable[[], Result], max_attempts: int, deadline: Deadline) -> Result:
    """Runs `work` until it succeeds, with a growing pause after each failure that a later attempt can overcome.

    A pause is never shorter than `Retry-After` says. Errors: the one of the last attempt.
    """
    attempt = 1
    while True:
        try:
            return work()
        except (SettleError, NoResponseError) as error:
            pause_s = _pause_after(attempt, error)
            if not _is_temporary(error) or attempt >= max_attempts or pause_s >= deadline.left_s():
                raise
        time.sleep(pause_s)
        attempt += 1


def _is_temporary(error: SettleError | NoResponseError) -> bool:
    if isinstance(error, NoResponseError):
        return True
    is_in_progress = error.status == 409 and error.retry_after_s is not None
    return error.status in (503, 504) or is_in_progress


def _pause_after(attempt: int, error: SettleError | NoResponseError) -> float:
    """Returns the pause in seconds. Half of it is random, so that clients do not repeat together."""
    retry_after_s = error.retry_after_s if isinstance(error, SettleError) else None
    longest_s = min(MIN_PAUSE_S * 2.0 ** (attempt - 1), MAX_PAUSE_S)
    return (retry_after_s or 0.0) + longest_s * random.uniform(0.5, 1.0)
