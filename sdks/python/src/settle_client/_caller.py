"""Calls of the API with the tokens of a user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

import httpx

from ._errors import NoResponseError, OutcomeUnknownError, SettleError, may_have_taken_effect
from ._exchange import Request, exchange
from ._repeat import Deadline, repeat
from ._user_tokens import UserTokens

Parameters = Mapping[str, str | int | Sequence[str] | None]


@dataclass(frozen=True)
class Limits:
    timeout_s: float
    """Longest time for a call with all of its attempts."""
    max_attempts: int


@dataclass(frozen=True)
class Call:
    method: Literal["GET", "POST", "PUT"]
    path: str
    """Path and query below the base address."""
    body: Mapping[str, str] | None = None
    idempotency_key: str | None = None
    """Sent with every attempt, so that the request is executed once."""
    timeout_s: float | None = None


class Caller:
    def __init__(self, http: httpx.Client, base_url: str, tokens: UserTokens, limits: Limits) -> None:
        self._http = http
        self._base_url = base_url
        self._tokens = tokens
        self._limits = limits

    def send(self, call: Call) -> Any:
        """Returns the body of the response, after as many attempts as needed and allowed.

        Errors: `SettleError` if the request was rejected; `OutcomeUnknownError` if it has an idempotency key and any attempt
        may have taken effect; `NoResponseError`.
        """
        deadline = Deadline(self._limits.timeout_s if call.timeout_s is None else call.timeout_s)
        is_outcome_unknown = False

        def send_with(token: str) -> Any:
            nonlocal is_outcome_unknown
            try:
                return exchange(self._http, self._request(call, token), deadline)
            except (SettleError, NoResponseError) as error:
                is_outcome_unknown = is_outcome_unknown or may_have_taken_effect(error)
                raise

        try:
            return repeat(lambda: self._with_token(send_with, deadline), self._limits.max_attempts, deadline)
        except Exception as error:
            # A later rejection does not show that an earlier attempt had no effect.
            if is_outcome_unknown and call.idempotency_key is not None:
                raise OutcomeUnknownError(call.idempotency_key, error) from error
            raise

    def pages(self, path: str, query: Parameters) -> Iterator[list[Any]]:
        """Yields the entries of each page of a list."""
        search: str | None = _search_of(query)
        while search is not None:
            page = self.send(Call("GET", f"{path}?{search}" if search else path))
            yield page["data"]
            # Only the query of the link: the token is sent to no other address than the client's.
            following = page["pagination"]["next"]
            search = None if following is None else urlsplit(following).query

    def _with_token(self, send_with: Callable[[str], Any], deadline: Deadline) -> Any:
        """Sends with the access token, and a second time if it was rejected and could be replaced."""
        token = self._tokens.current.access_token
        try:
            return send_with(token)
        except SettleError as error:
            if error.status != 401 or not self._tokens.replace(token, deadline):
                raise
        return send_with(self._tokens.current.access_token)

    def _request(self, call: Call, token: str) -> Request:
        headers = {"authorization": f"Bearer {token}"}
        if call.idempotency_key is not None:
            headers["idempotency-key"] = call.idempotency_key
        if call.body is None:
            return Request(call.method, self._base_url + call.path, headers)
        headers["content-type"] = "application/json"
        return Request(call.method, self._base_url + call.path, headers, json.dumps(call.body))


def _search_of(query: Parameters) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return urlencode(
        {name: value if isinstance(value, (str, int)) else ",".join(value) for name, value in given.items()}
    )
