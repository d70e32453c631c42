"""The client of the API for one user."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import cast
from urllib.parse import quote

import httpx

from ._caller import Call, Caller, Limits
from ._models import Friend, Me, User
from ._oauth import App, Tokens, revoke_tokens
from ._paged_list import PagedList
from ._payments import Payments
from ._user_tokens import UserTokens


class Users:
    """The users of the product. Every call has the errors of `SettleClient`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, user_id: str) -> User:
        """Returns one user."""
        return cast(User, self._caller.send(Call("GET", f"/users/{quote(user_id, safe='')}"))["data"])

    def list_friends(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        after: str | None = None,
        before: str | None = None,
    ) -> PagedList[Friend]:
        """Returns the friends of a user, ascending by id. `limit` is the size of a page."""
        query = {"limit": limit, "offset": offset, "after": after, "before": before}
        return PagedList(self._caller, f"/users/{quote(user_id, safe='')}/friends", query)


class SettleClient:
    """Calls the API for one user, from any number of threads.

    A call is repeated after 503, 504 and a missing response, with the same idempotency key, until it succeeds,
    `max_attempts` were made or `timeout_s` is over. An access token that is rejected is refreshed once.

    Errors of every call: `SettleError` if the API rejected it; `OutcomeUnknownError` if a payment, or a change of one, may
    have taken effect; `NoResponseError` if no response arrived.
    """

    payments: Payments
    users: Users

    def __init__(
        self,
        app: App,
        tokens: Tokens,
        *,
        on_tokens: Callable[[Tokens], object] | None = None,
        load_tokens: Callable[[], Tokens] | None = None,
        timeout_s: float = 30.0,
        max_attempts: int = 6,
    ) -> None:
        """`on_tokens` stores each new pair, before any request uses it. The previous refresh token no longer works.

        `load_tokens` returns the stored pair. It is called before a refresh, because another process may have refreshed.
        """
        self._app = app
        # It follows no redirects, which would carry the token elsewhere.
        self._http = httpx.Client()
        self._tokens = UserTokens(self._http, app, tokens, on_tokens, load_tokens)
        self._caller = Caller(self._http, app.base_url, self._tokens, Limits(timeout_s, max_attempts))
        self.payments = Payments(self._caller)
        self.users = Users(self._caller)

    @property
    def tokens(self) -> Tokens:
        """The current tokens of the user."""
        return self._tokens.current

    def me(self) -> Me:
        """Returns the user of the tokens and the balance."""
        return cast(Me, self._caller.send(Call("GET", "/me"))["data"])

    def revoke(self) -> None:
        """Ends the authorization of the app: all of its tokens for the user are rejected within a second."""
        revoke_tokens(self._http, self._app, self._tokens.current)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> SettleClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
