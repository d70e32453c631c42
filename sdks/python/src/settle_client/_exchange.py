"""One request and its response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import httpx

from ._errors import UNEXPECTED_RESPONSE, NoResponseError, SettleError
from ._models import AMOUNT_FIELDS
from ._repeat import Deadline

ATTEMPT_TIMEOUT_S = 10.0
"""The product responds within 6 s, even if only that it does not know the outcome."""
TWO_PLACES = Decimal("0.01")
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass(frozen=True)
class Request:
    method: Literal["GET", "POST", "PUT"]
    url: str
    headers: Mapping[str, str]
    content: str | None = None


def exchange(http: httpx.Client, request: Request, deadline: Deadline) -> Any:
    """Sends a request once and returns the body of its response.

    Errors: `SettleError` for a response that is not successful, `NoResponseError` if no response, or not all of it, arrives
    in time.
    """
    response, text = _receive(http, request, Deadline(min(ATTEMPT_TIMEOUT_S, deadline.left_s())))
    body = _parse(text)
    if response.is_success and body is not None:
        return body
    if response.is_success:
        raise NoResponseError("The response is not complete.", was_sent=True)
    raise _error_of(response, body)


def _receive(http: httpx.Client, request: Request, deadline: Deadline) -> tuple[httpx.Response, bytes]:
    chunks = []
    try:
        with http.stream(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=request.content,
            timeout=max(0.001, deadline.left_s()),
        ) as response:
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                # httpx limits the wait for each part, not for all of them.
                if deadline.left_s() == 0:
                    raise NoResponseError("The response did not arrive in time.", was_sent=True)
            return response, b"".join(chunks)
    except httpx.HTTPError as cause:
        raise NoResponseError(f"No response: {cause}", was_sent=not isinstance(cause, NOT_SENT)) from cause


def _parse(text: bytes) -> Any:
    """Returns the JSON value with amounts as decimals of two places, or None if the text is not JSON."""
    try:
        return json.loads(text, parse_float=Decimal, object_hook=_with_decimals)
    except ValueError:
        return None


def _with_decimals(fields: dict[str, Any]) -> dict[str, Any]:
    for name in AMOUNT_FIELDS & fields.keys():
        if isinstance(fields[name], (int, Decimal)):
            fields[name] = Decimal(fields[name]).quantize(TWO_PLACES)
    return fields


def _error_of(response: httpx.Response, body: Any) -> SettleError:
    error = body.get("error", {}) if isinstance(body, dict) else {}
    retry_after = response.headers.get("retry-after", "")
    return SettleError(
        error.get("message", f"Unexpected response with the status {response.status_code}."),
        code=error.get("code", UNEXPECTED_RESPONSE),
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
        retry_after_s=float(retry_after) if retry_after.isdecimal() else None,
    )
