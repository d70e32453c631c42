"""The current tokens of one user."""

from __future__ import annotations

import threading
from collections.abc import Callable

import httpx

from ._errors import NoResponseError
from ._oauth import App, Tokens, refresh_tokens
from ._repeat import Deadline


class UserTokens:
    """The tokens of one user. However many threads find the access token expired, it is refreshed once."""

    def __init__(
        self,
        http: httpx.Client,
        app: App,
        tokens: Tokens,
        on_tokens: Callable[[Tokens], object] | None,
        load_tokens: Callable[[], Tokens] | None,
    ) -> None:
        self._http = http
        self._app = app
        self._on_tokens = on_tokens
        self._load_tokens = load_tokens
        self._refreshing = threading.Lock()
        self.current = tokens

    def replace(self, rejected: str, deadline: Deadline) -> bool:
        """Replaces an access token that was rejected. Returns False if there is no refresh token.

        Errors: those of `refresh_tokens` and of the handlers; `NoResponseError` if another thread refreshes for longer than
        the time left.
        """
        if not self._refreshing.acquire(timeout=deadline.left_s()):
            raise NoResponseError("The time for the call is over.", was_sent=False)
        try:
            if self.current.access_token != rejected:
                return True
            if self._load_tokens is not None:
                self.current = self._load_tokens()
            if self.current.access_token != rejected:
                return True
            if self.current.refresh_token is None:
                return False
            self.current = refresh_tokens(self._http, self._app, self.current.refresh_token, deadline.left_s())
            if self._on_tokens is not None:
                self._on_tokens(self.current)
            return True
        finally:
            self._refreshing.release()
