"""Which calls are repeated, and which error a call ends with."""

from __future__ import annotations

import json
import time
from decimal import Decimal

import httpx
import pytest

from settle_client import NoResponseError, OutcomeUnknownError, SettleError

from .conftest import CLOSE, WAIT, Reply, ScriptedApi, in_turn, ok, rejection

CREATED = ok({"data": {"balance": 87.5, "payment": {"id": "1", "amount": 12, "fee": None}}})
UNAVAILABLE = rejection(503, "service_unavailable")
UNKNOWN = rejection(504, "outcome_unknown")
FROM_A_PROXY = Reply(503, "<h1>No upstream</h1>")
IN_PROGRESS = rejection(409, "idempotency_in_progress", retry_after="0")


def keys_of(api: ScriptedApi) -> list[str | None]:
    return [request.headers.get("idempotency-key") for request in api.received]


@pytest.mark.parametrize("reply", [UNAVAILABLE, FROM_A_PROXY, UNKNOWN, CLOSE, IN_PROGRESS])
def test_a_payment_is_sent_again_with_the_same_key(api: ScriptedApi, reply: Reply) -> None:
    api.script = in_turn(reply, CREATED)
    created = api.client().payments.create(user_id="1", amount=Decimal("12.50"), note="Lunch")
    assert created == {"balance": Decimal("87.50"), "payment": {"id": "1", "amount": Decimal("12.00"), "fee": None}}
    assert str(created["payment"]["amount"]) == "12.00"
    first, second = keys_of(api)
    assert first is not None and len(first) == 36 and first == second
    sent = {"amount": "12.50", "note": "Lunch", "user_id": "1"}
    assert [json.loads(request.body) for request in api.received] == [sent, sent]


def test_each_call_has_a_key_of_its_own_unless_one_is_passed(api: ScriptedApi) -> None:
    api.script = in_turn(CREATED)
    payments = api.client().payments
    payments.create(user_id="1", amount="1", note="n")
    payments.create(user_id="1", amount="1", note="n")
    payments.approve("1", idempotency_key="order-7")
    keys = keys_of(api)
    assert len(set(keys)) == 3 and keys[2] == "order-7"


def test_a_float_is_refused(api: ScriptedApi) -> None:
    with pytest.raises(TypeError):
        api.client().payments.create(user_id="1", amount=12.5, note="n")  # type: ignore[arg-type]
    assert api.received == []


def test_a_pause_is_at_least_as_long_as_retry_after(api: ScriptedApi) -> None:
    api.script = in_turn(rejection(503, "service_unavailable", retry_after="1"), ok({"data": {"balance": None}}))
    assert api.client().me()["balance"] is None
    first, second = api.received
    assert second.at_s - first.at_s >= 1.0


def test_attempts_are_bounded(api: ScriptedApi) -> None:
    api.script = in_turn(UNAVAILABLE)
    with pytest.raises(SettleError) as raised:
        api.client(max_attempts=3).payments.create(user_id="1", amount="1", note="n")
    assert (raised.value.code, raised.value.status, len(api.received)) == ("service_unavailable", 503, 3)


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "cannot_pay_self"), (403, "not_permitted"), (409, "payment_not_pending"), (422, "idempotency_key_reused")],
)
def test_a_rejection_is_not_repeated(api: ScriptedApi, status: int, code: str) -> None:
    api.script = in_turn(rejection(status, code))
    with pytest.raises(SettleError) as raised:
        api.client().payments.create(user_id="1", amount="1", note="n")
    error = raised.value
    assert (error.status, error.code, error.message) == (status, code, f"About {code}.")
    assert (error.request_id, error.retry_after_s, len(api.received)) == ("request-1", None, 1)


def test_a_retry_after_beyond_the_time_of_the_call_ends_it(api: ScriptedApi) -> None:
    api.script = in_turn(rejection(503, "service_unavailable", retry_after="3600"))
    with pytest.raises(SettleError) as raised:
        api.client().me()
    assert (raised.value.retry_after_s, len(api.received)) == (3600.0, 1)


@pytest.mark.parametrize(
    "replies",
    [
        (UNKNOWN, UNKNOWN),
        (FROM_A_PROXY, FROM_A_PROXY),
        (UNAVAILABLE, rejection(500, "internal_error")),
        (CLOSE, CLOSE),
        (CLOSE, rejection(403, "account_frozen")),
        (UNKNOWN, UNAVAILABLE),
    ],
)
def test_an_unknown_outcome_has_the_key_of_the_payment(api: ScriptedApi, replies: tuple[Reply, Reply]) -> None:
    api.script = in_turn(*replies)
    with pytest.raises(OutcomeUnknownError) as raised:
        api.client(max_attempts=2).payments.create(user_id="1", amount="1", note="n")
    assert not isinstance(raised.value, SettleError)
    assert raised.value.idempotency_key == keys_of(api)[0]
    assert isinstance(raised.value.__cause__, NoResponseError if replies[1] is CLOSE else SettleError)


def test_the_time_of_a_call_ends_it(api: ScriptedApi) -> None:
    api.script = in_turn(WAIT)
    started_at_s = time.monotonic()
    with pytest.raises(OutcomeUnknownError):
        api.client().payments.create(user_id="1", amount="1", note="n", timeout_s=1.0)
    with pytest.raises(NoResponseError):
        api.client(timeout_s=0.3).me()
    # An attempt alone may take 10 s.
    assert time.monotonic() - started_at_s < 8


def test_without_a_connection_nothing_happened(api: ScriptedApi) -> None:
    settle = api.client(max_attempts=2)
    api.stop()
    with pytest.raises(NoResponseError) as raised:
        settle.payments.create(user_id="1", amount="1", note="n")
    assert isinstance(raised.value.__cause__, httpx.ConnectError)


def test_a_redirect_is_not_followed(api: ScriptedApi) -> None:
    api.script = in_turn(Reply(307, "", {"location": f"{api.app.base_url}/elsewhere"}))
    with pytest.raises(SettleError) as raised:
        api.client().me()
    assert (raised.value.code, len(api.received)) == ("unexpected_response", 1)
