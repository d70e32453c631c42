"""The payments and charges of the user."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal, cast
from urllib.parse import quote

from ._caller import Call, Caller
from ._models import CreatedPayment, ListedPayment, Payment
from ._paged_list import PagedList

Action = Literal["pay", "charge"]
Audience = Literal["public", "friends", "private"]
Status = Literal["settled", "pending", "failed", "expired", "cancelled"]


class Payments:
    """The payments and charges of the user. Every call has the errors of `SettleClient`.

    `idempotency_key` is a new one by default. Pass one that you have stored beforehand to repeat the call after a restart of
    your program, or that of an `OutcomeUnknownError`: the payment is made once.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(
        self,
        *,
        amount: Decimal | str,
        note: str,
        user_id: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        audience: Audience | None = None,
        idempotency_key: str | None = None,
        timeout_s: float | None = None,
    ) -> CreatedPayment:
        """Pays or, with a negative amount, charges one user, named by exactly one of `user_id`, `email` and `phone`.

        A pay without funds is a payment with the status `failed`, not an error. Errors: `TypeError` for an amount that is a
        float, which is not exact.
        """
        if isinstance(amount, float):
            raise TypeError("An amount is a Decimal or a str, because a float is not exact.")
        fields = {
            "amount": f"{amount:f}" if isinstance(amount, Decimal) else amount,
            "note": note,
            "user_id": user_id,
            "email": email,
            "phone": phone,
            "audience": audience,
        }
        body = {name: value for name, value in fields.items() if value is not None}
        return cast(CreatedPayment, self._write("POST", "/payments", body, idempotency_key, timeout_s))

    def get(self, payment_id: str) -> Payment:
        """Returns one payment of the user."""
        return cast(Payment, self._caller.send(Call("GET", _path_of(payment_id)))["data"])

    def list(
        self,
        *,
        action: Action | None = None,
        actor: Sequence[str] | None = None,
        status: Sequence[Status] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        before_id: str | None = None,
    ) -> PagedList[ListedPayment]:
        """Returns the payments of which the user is actor or target, newest first. `limit` is the size of a page."""
        filters = {"action": action, "actor": actor, "status": status}
        query = {**filters, "limit": limit, "after": after, "before": before, "before_id": before_id}
        return PagedList(self._caller, "/payments", query)

    def approve(
        self, payment_id: str, *, idempotency_key: str | None = None, timeout_s: float | None = None
    ) -> ListedPayment:
        """Pays a pending charge whose target is the user."""
        return self._change(payment_id, "approve", idempotency_key, timeout_s)

    def deny(
        self, payment_id: str, *, idempotency_key: str | None = None, timeout_s: float | None = None
    ) -> ListedPayment:
        """Rejects a pending charge whose target is the user."""
        return self._change(payment_id, "deny", idempotency_key, timeout_s)

    def cancel(
        self, payment_id: str, *, idempotency_key: str | None = None, timeout_s: float | None = None
    ) -> ListedPayment:
        """Cancels a pending payment or charge that the user created."""
        return self._change(payment_id, "cancel", idempotency_key, timeout_s)

    def _change(self, payment_id: str, action: str, key: str | None, timeout_s: float | None) -> ListedPayment:
        return cast(ListedPayment, self._write("PUT", _path_of(payment_id), {"action": action}, key, timeout_s))

    def _write(
        self,
        method: Literal["POST", "PUT"],
        path: str,
        body: dict[str, str],
        idempotency_key: str | None,
        timeout_s: float | None,
    ) -> Any:
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        return self._caller.send(Call(method, path, body, key, timeout_s))["data"]


def _path_of(payment_id: str) -> str:
    return f"/payments/{quote(payment_id, safe='')}"
