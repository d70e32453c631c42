"""The errors of the client."""

from __future__ import annotations

from ._models import ErrorCode

UNEXPECTED_RESPONSE = "unexpected_response"
"""The code of an error whose response was not written by Settle but by a proxy, for example."""


class SettleError(Exception):
    """The API rejected the request: a rejected payment or change of a payment did not take effect."""

    code: ErrorCode | str
    """A code of the catalogue; later versions of the product may add some."""
    status: int
    message: str
    """For humans: what is wrong and what to do."""
    request_id: str | None
    """Identifies the request in the logs of the product."""
    retry_after_s: float | None
    """How long to wait before the next attempt, or None if the response does not say it."""

    def __init__(
        self, message: str, *, code: str, status: int, request_id: str | None, retry_after_s: float | None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class OutcomeUnknownError(Exception):
    """A payment, or a change of one, may or may not have taken effect: no attempt returned its result in time.

    Repeat the call with `idempotency_key` within 24 hours: it then takes effect exactly once. `__cause__` is the error of
    the last attempt.
    """

    idempotency_key: str
    request_id: str | None
    """Identifies the last request in the logs of the product, if it got a response."""

    def __init__(self, idempotency_key: str, cause: Exception) -> None:
        super().__init__(f"The outcome is unknown. Repeat the call with the idempotency key {idempotency_key}.")
        self.idempotency_key = idempotency_key
        self.request_id = cause.request_id if isinstance(cause, SettleError) else None


class NoResponseError(Exception):
    """No response arrived in time. Nothing was changed by it. `__cause__` is the error of httpx, if there is one."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """Whether the request may have reached the product."""


def may_have_taken_effect(error: Exception) -> bool:
    """Whether the request that failed with this error may have taken effect."""
    if isinstance(error, NoResponseError):
        return error.was_sent
    if not isinstance(error, SettleError):
        return False
    return error.status >= 500 and not (error.status == 503 and error.code != UNEXPECTED_RESPONSE)
