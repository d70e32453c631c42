"""The client on a running product, which apps/e2e/src/sdk-python.e2e.spec.ts names in environment variables."""

from __future__ import annotations

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import islice

import pytest

from settle_client import App, SettleClient, SettleError, Tokens, exchange_code

ENV = os.environ
APP = App(ENV["SETTLE_URL"], ENV["CLIENT_ID"], ENV["CLIENT_SECRET"])
ALICE_TOKENS = Tokens(ENV["ALICE_ACCESS_TOKEN"], ENV["ALICE_REFRESH_TOKEN"])
ALICE = SettleClient(APP, ALICE_TOKENS)
BOB = SettleClient(APP, Tokens(ENV["BOB_ACCESS_TOKEN"], ENV["BOB_REFRESH_TOKEN"]))
NOTE = f"python {uuid.uuid4()}"
REVOKED_WITHIN_S = 30.0


def test_an_authorized_app_acts_for_the_user_until_it_revokes() -> None:
    authorization = exchange_code(APP, ENV["CAROL_CODE"], code_verifier=ENV["CAROL_CODE_VERIFIER"])
    carol = SettleClient(APP, authorization.tokens)
    me = carol.me()
    assert (me["user"]["username"], me["balance"]) == ("carol", authorization.balance)
    carol.revoke()
    ends_at_s = time.monotonic() + REVOKED_WITHIN_S
    with pytest.raises(SettleError) as raised:
        while time.monotonic() < ends_at_s:
            carol.me()
    assert raised.value.code == "invalid_grant"


def test_a_payment_with_one_key_exists_once() -> None:
    before = ALICE.me()["balance"]
    assert before is not None
    key = str(uuid.uuid4())
    first = ALICE.payments.create(user_id=ENV["BOB_ID"], amount=Decimal("0.10"), note=NOTE, idempotency_key=key)
    again = ALICE.payments.create(user_id=ENV["BOB_ID"], amount="0.10", note=NOTE, idempotency_key=key)
    payment = first["payment"]
    assert (again["payment"]["id"], payment["status"], str(payment["amount"])) == (payment["id"], "settled", "0.10")
    assert first["balance"] == ALICE.me()["balance"] == before - Decimal("0.10")
    assert BOB.payments.get(payment["id"]) == payment


def test_charges_are_approved_denied_cancelled_and_listed() -> None:
    charges = [BOB.payments.create(user_id=ENV["ALICE_ID"], amount="-0.01", note=NOTE)["payment"] for _ in range(3)]
    assert [charge["status"] for charge in charges] == ["pending"] * 3
    first, second, third = (charge["id"] for charge in charges)
    assert ALICE.payments.approve(first)["status"] == "settled"
    assert ALICE.payments.deny(second)["status"] == "cancelled"
    assert BOB.payments.cancel(third)["status"] == "cancelled"
    listed = islice(ALICE.payments.list(actor=[ENV["BOB_ID"]], limit=1), 3)
    assert [payment["id"] for payment in listed] == [third, second, first]
    with pytest.raises(SettleError) as raised:
        ALICE.payments.approve(second)
    assert (raised.value.code, raised.value.status) == ("payment_not_pending", 409)


def test_a_rejection_has_code_status_and_request_id() -> None:
    with pytest.raises(SettleError) as raised:
        ALICE.payments.create(user_id=ENV["ALICE_ID"], amount="1", note=NOTE)
    assert (raised.value.code, raised.value.status) == ("cannot_pay_self", 400)
    assert raised.value.request_id is not None


def test_many_threads_refresh_an_invalid_token_once() -> None:
    stored: list[Tokens] = []
    settle = SettleClient(APP, Tokens("a" * 40, ALICE_TOKENS.refresh_token), on_tokens=stored.append)
    with ThreadPoolExecutor(8) as threads:
        ids = set(threads.map(lambda _: settle.me()["user"]["id"], range(8)))
    assert (ids, stored) == ({ENV["ALICE_ID"]}, [settle.tokens])


def test_friends_and_the_sandbox() -> None:
    assert "bob" in [friend["username"] for friend in BOB.users.list_friends(ENV["ALICE_ID"], limit=1)]
    assert BOB.users.get(ENV["ALICE_ID"])["username"] == "alice"
    sandbox = SettleClient(App(ENV["SANDBOX_URL"], APP.client_id, APP.client_secret), BOB.tokens)
    created = sandbox.payments.create(user_id="145434160922624933", amount="0.10", note=NOTE)
    assert created["payment"]["status"] == "settled"
