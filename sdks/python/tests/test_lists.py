"""Lists and single resources."""

from __future__ import annotations

from decimal import Decimal
from itertools import islice
from urllib.parse import parse_qs, urlsplit

from .conftest import Received, Reply, ScriptedApi, in_turn, ok

PUBLIC = "https://settle.example.com/v1/payments"
"""The address by which other hosts reach the product."""


def three_pages(request: Received, _: int) -> Reply:
    at = int(parse_qs(urlsplit(request.url).query).get("before_id", ["0"])[0])
    following = f"{PUBLIC}?status=settled%2Cpending&limit=2&before_id={at + 1}" if at < 2 else None
    data = [{"id": f"{at}a", "amount": -0.1}, {"id": f"{at}b", "amount": 12345678901234.56}]
    return ok({"pagination": {"next": following}, "data": data})


def test_a_list_yields_every_entry_and_calls_only_the_address_of_the_client(api: ScriptedApi) -> None:
    api.script = three_pages
    payments = api.client().payments.list(status=["settled", "pending"], limit=2)
    assert [payment["id"] for payment in payments] == ["0a", "0b", "1a", "1b", "2a", "2b"]
    assert [request.url for request in api.received] == [
        "/v1/payments?status=settled%2Cpending&limit=2",
        "/v1/payments?status=settled%2Cpending&limit=2&before_id=1",
        "/v1/payments?status=settled%2Cpending&limit=2&before_id=2",
    ]


def test_pages_are_read_only_as_needed(api: ScriptedApi) -> None:
    api.script = three_pages
    payments = api.client().payments.list()
    assert [[payment["id"] for payment in islice(payments, 2)] for _ in range(2)] == [["0a", "0b"]] * 2
    assert [request.url for request in api.received] == ["/v1/payments"] * 2


def test_amounts_of_pages_are_exact_decimals(api: ScriptedApi) -> None:
    api.script = three_pages
    pages = [[payment["amount"] for payment in page] for page in api.client().payments.list().pages()]
    assert pages == [[Decimal("-0.10"), Decimal("12345678901234.56")]] * 3


def test_friends_are_listed_below_the_user(api: ScriptedApi) -> None:
    api.script = in_turn(ok({"pagination": {"next": None}, "data": [{"id": "2"}]}))
    friends = list(api.client().users.list_friends("1/2", after="1", limit=5))
    assert (friends, api.received[0].url) == ([{"id": "2"}], "/v1/users/1%2F2/friends?limit=5&after=1")


def test_a_payment_has_decimals_also_in_its_refund(api: ScriptedApi) -> None:
    refund = {"id": "2", "amount": 5, "fee": None, "refund": None}
    api.script = in_turn(ok({"data": {"id": "1", "amount": 5.5, "fee": 0.05, "refund": refund, "note": "5.5"}}))
    payment = api.client().payments.get("1")
    assert payment["refund"] is not None
    amounts = [payment["amount"], payment["fee"], payment["refund"]["amount"], payment["refund"]["fee"]]
    assert [str(amount) for amount in amounts] == ["5.50", "0.05", "5.00", "None"]
    assert payment["note"] == "5.5"


def test_a_payment_is_changed_by_put_with_a_key(api: ScriptedApi) -> None:
    api.script = in_turn(ok({"data": {"id": "1"}}))
    with api.client() as settle:
        settle.payments.approve("1")
        settle.payments.deny("1")
        settle.payments.cancel("1")
        settle.users.get("7")
    assert [(r.method, r.url, r.body, "idempotency-key" in r.headers) for r in api.received] == [
        ("PUT", "/v1/payments/1", '{"action": "approve"}', True),
        ("PUT", "/v1/payments/1", '{"action": "deny"}', True),
        ("PUT", "/v1/payments/1", '{"action": "cancel"}', True),
        ("GET", "/v1/users/7", "", False),
    ]
