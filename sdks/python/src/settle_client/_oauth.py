"""The authorization of an app by a user."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import httpx

from ._exchange import Request, exchange
from ._models import User
from ._repeat import Deadline, repeat

# A refresh token may be sent again for 10 s after its first use, in case the response was lost. Later it counts as stolen,
# and the whole authorization is revoked.
REFRESH_TIMEOUT_S = 8.0
REFRESH_ATTEMPTS = 4
CODE_TIMEOUT_S = 15.0


@dataclass(frozen=True)
class App:
    """The address of the API and the credentials of an app."""

    base_url: str
    """Ends with `/v1`, or with `/sandbox/v1` for payments without real money."""
    client_id: str
    client_secret: str | None = None
    """Only for an app that has a secret."""


@dataclass(frozen=True)
class Tokens:
    """The tokens by which an app acts for a user."""

    access_token: str
    refresh_token: str | None = None
    """None after the client-side flow: such tokens cannot be renewed."""


@dataclass(frozen=True)
class Authorization:
    """The tokens that a code was exchanged for, and the user who authorized the app."""

    tokens: Tokens
    user: User
    balance: Decimal | None
    """None without the scope `access_balance`."""
    scopes: list[str] | None
    """The granted scopes. An earlier version of Settle sent none if all requested ones were granted."""


@dataclass(frozen=True)
class Pkce:
    code_verifier: str
    """Keep it where only this user's browser session finds it, and pass it to `exchange_code`."""
    code_challenge: str


def create_pkce() -> Pkce:
    """Returns a new verifier and its challenge (RFC 7636)."""
    verifier = secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    return Pkce(verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode())


def authorization_url(
    app: App,
    scopes: Sequence[str],
    *,
    state: str,
    code_challenge: str | None = None,
    redirect_uri: str | None = None,
) -> str:
    """Returns the address to which the app sends the user's browser. It comes back with `code` and `state`, or with `error`.

    Compare the state that comes back, to know that this browser started the authorization. Without `redirect_uri` the
    browser comes back to the app's first address. An app without a secret needs a `code_challenge` of `create_pkce`.
    """
    parameters = {"response_type": "code", "client_id": app.client_id, "scope": " ".join(scopes), "state": state}
    if redirect_uri is not None:
        parameters["redirect_uri"] = redirect_uri
    if code_challenge is not None:
        parameters.update(code_challenge=code_challenge, code_challenge_method="S256")
    return f"{app.base_url}/oauth/authorize?{urlencode(parameters)}"


def exchange_code(
    app: App, code: str, *, code_verifier: str | None = None, redirect_uri: str | None = None
) -> Authorization:
    """Exchanges the code that came back for tokens. A code has one attempt: after any error start a new authorization.

    Errors: `SettleError`, for example `invalid_grant`; `NoResponseError` if no response arrives within 15 s.
    """
    form = {"grant_type": "authorization_code", "code": code}
    if code_verifier is not None:
        form["code_verifier"] = code_verifier
    if redirect_uri is not None:
        form["redirect_uri"] = redirect_uri
    with httpx.Client() as http:
        response = _post_form(http, app, "/oauth/access_token", Deadline(CODE_TIMEOUT_S), form)
    scope = response.get("scope")
    scopes = None if scope is None else scope.split(" ")
    return Authorization(_tokens_of(response), response["user"], response["balance"], scopes)


def refresh_tokens(http: httpx.Client, app: App, refresh_token: str, timeout_s: float) -> Tokens:
    """Returns the next tokens. Errors: `SettleError`, `invalid_grant` if the authorization has ended; `NoResponseError`."""
    form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    deadline = Deadline(min(REFRESH_TIMEOUT_S, timeout_s))
    return _tokens_of(_post_repeatedly(http, app, "/oauth/access_token", deadline, form))


def revoke_tokens(http: httpx.Client, app: App, tokens: Tokens) -> None:
    """Ends the authorization: all of its tokens are rejected within a second. Errors: `SettleError`, `NoResponseError`."""
    form = {"token": tokens.refresh_token or tokens.access_token}
    _post_repeatedly(http, app, "/oauth/revoke", Deadline(REFRESH_TIMEOUT_S), form)


def _tokens_of(response: Any) -> Tokens:
    return Tokens(response["access_token"], response["refresh_token"])


def _post_repeatedly(http: httpx.Client, app: App, path: str, deadline: Deadline, fields: dict[str, str]) -> Any:
    return repeat(lambda: _post_form(http, app, path, deadline, fields), REFRESH_ATTEMPTS, deadline)


def _post_form(http: httpx.Client, app: App, path: str, deadline: Deadline, fields: dict[str, str]) -> Any:
    secret = {} if app.client_secret is None else {"client_secret": app.client_secret}
    body = urlencode({"client_id": app.client_id, **secret, **fields})
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return exchange(http, Request("POST", app.base_url + path, headers, body), deadline)
