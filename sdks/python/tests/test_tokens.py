"""How tokens are refreshed, and how a user authorizes an app."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest

from settle_client import App, NoResponseError, SettleError, Tokens, authorization_url, create_pkce, exchange_code

from .conftest import CLOSE, WAIT, Received, Reply, Script, ScriptedApi, in_turn, ok, rejection

SECOND = Tokens("access-2", "refresh-2")
SECOND_PAIR = ok({"access_token": "access-2", "refresh_token": "refresh-2", "expires_in": 1, "token_type": "bearer"})
ME = ok({"data": {"balance": 1}})


def is_token_request(request: Received) -> bool:
    return request.url == "/v1/oauth/access_token"


def accepting_second(*token_replies: Reply) -> Script:
    """Responds like an API for which only `access-2` is valid, and to token requests one after another."""
    replies = iter(token_replies)

    def reply(request: Received, _: int) -> Reply:
        if is_token_request(request):
            return next(replies)
        return ME if request.headers["authorization"] == "Bearer access-2" else rejection(401, "expired_token")

    return reply


def test_many_threads_refresh_once_and_the_tokens_are_stored_before_they_are_used(api: ScriptedApi) -> None:
    api.script = accepting_second(SECOND_PAIR)
    stored: list[Tokens] = []
    used_before: list[str] = []

    def store(tokens: Tokens) -> None:
        used_before.extend(r.url for r in list(api.received) if r.headers.get("authorization") == "Bearer access-2")
        stored.append(tokens)

    settle = api.client(on_tokens=store)
    with ThreadPoolExecutor(16) as threads:
        results = list(threads.map(lambda _: settle.me(), range(16)))
    assert len(results) == 16
    assert [dict(parse_qsl(request.body)) for request in api.received if is_token_request(request)] == [
        {
            "client_id": "app-1",
            "client_secret": "secret-1",
            "grant_type": "refresh_token",
            "refresh_token": "refresh-1",
        }
    ]
    assert (stored, used_before, settle.tokens) == ([SECOND], [], SECOND)


def test_a_payment_keeps_its_key_when_its_token_is_refreshed(api: ScriptedApi) -> None:
    api.script = accepting_second(SECOND_PAIR)
    api.client().payments.create(user_id="1", amount="1", note="n")
    keys = [request.headers["idempotency-key"] for request in api.received if not is_token_request(request)]
    assert len(keys) == 2 and keys[0] == keys[1]


def test_a_refresh_whose_response_is_lost_is_sent_again(api: ScriptedApi) -> None:
    api.script = accepting_second(CLOSE, rejection(503, "service_unavailable"), SECOND_PAIR)
    api.client().me()
    sent = [dict(parse_qsl(request.body))["refresh_token"] for request in api.received if is_token_request(request)]
    assert sent == ["refresh-1"] * 3


def test_tokens_that_another_process_refreshed_are_used(api: ScriptedApi) -> None:
    api.script = accepting_second()
    settle = api.client(load_tokens=lambda: SECOND)
    settle.me()
    assert settle.tokens == SECOND


def test_an_authorization_that_has_ended_is_invalid_grant(api: ScriptedApi) -> None:
    api.script = accepting_second(rejection(400, "invalid_grant"))
    with pytest.raises(SettleError) as raised:
        api.client().me()
    assert (raised.value.code, len(api.received)) == ("invalid_grant", 2)


def test_a_token_that_is_rejected_after_a_refresh_is_not_refreshed_again(api: ScriptedApi) -> None:
    api.script = lambda request, _: SECOND_PAIR if is_token_request(request) else rejection(401, "revoked_token")
    with pytest.raises(SettleError) as raised:
        api.client().me()
    assert raised.value.code == "revoked_token"
    assert len([request for request in api.received if is_token_request(request)]) == 1


def test_without_a_refresh_token_the_error_says_why(api: ScriptedApi) -> None:
    api.script = accepting_second()
    with pytest.raises(SettleError) as raised:
        api.client(tokens=Tokens("access-1")).me()
    assert raised.value.code == "expired_token"


def test_a_payment_that_waits_for_tokens_has_not_taken_effect(api: ScriptedApi) -> None:
    api.script = accepting_second(WAIT)
    settle = api.client(timeout_s=2.0)
    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(settle.payments.create, user_id="1", amount="1", note="n") for _ in range(2)]
        assert [type(one.exception()) for one in both] == [NoResponseError, NoResponseError]


def test_revoke_sends_the_refresh_token(api: ScriptedApi) -> None:
    api.script = in_turn(CLOSE, ok({}))
    api.client().revoke()
    expected = ("/v1/oauth/revoke", "client_id=app-1&client_secret=secret-1&token=refresh-1")
    assert [(request.url, request.body) for request in api.received] == [expected, expected]


def test_the_address_of_an_authorization_has_all_parameters() -> None:
    app = App("http://localhost:3000/v1", "app-1")
    address = authorization_url(app, ["a", "b"], state="s&1", code_challenge="c", redirect_uri="https://app.example/")
    parts = urlsplit(address)
    assert (parts.netloc, parts.path, dict(parse_qsl(parts.query))) == (
        "localhost:3000",
        "/v1/oauth/authorize",
        {
            "response_type": "code",
            "client_id": "app-1",
            "scope": "a b",
            "state": "s&1",
            "redirect_uri": "https://app.example/",
            "code_challenge": "c",
            "code_challenge_method": "S256",
        },
    )


def test_a_challenge_is_the_digest_of_its_verifier() -> None:
    pkce = create_pkce()
    digest = hashlib.sha256(pkce.code_verifier.encode()).digest()
    assert (len(pkce.code_verifier), pkce.code_challenge) == (43, urlsafe_b64encode(digest).decode().rstrip("="))


def test_a_code_is_exchanged_once(api: ScriptedApi) -> None:
    tokens = {"access_token": "a", "refresh_token": "r", "scope": "a b", "user": {"id": "1"}, "balance": 100}
    api.script = in_turn(ok(tokens), CLOSE)
    authorization = exchange_code(api.app, "code-1", code_verifier="v", redirect_uri="https://app.example/")
    assert (authorization.tokens, authorization.balance) == (Tokens("a", "r"), Decimal("100.00"))
    assert (authorization.user["id"], authorization.scopes) == ("1", ["a", "b"])
    assert dict(parse_qsl(api.received[0].body)) == {
        "client_id": "app-1",
        "client_secret": "secret-1",
        "grant_type": "authorization_code",
        "code": "code-1",
        "code_verifier": "v",
        "redirect_uri": "https://app.example/",
    }
    with pytest.raises(NoResponseError):
        exchange_code(api.app, "code-1")
    assert len(api.received) == 2
