# Made from docs/openapi.json by generate_models.py.

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias, TypedDict

Id: TypeAlias = str
"""A decimal number of 18 or 19 digits, below 2^63. Compare it as a number, never put it into a double."""


Datetime: TypeAlias = str
"""UTC with microseconds."""


class User(TypedDict):
    """A user."""

    id: Id
    """The user."""
    username: str
    """Unique without regard to case."""
    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    display_name: str
    """What to call the user."""
    about: str
    """The bio; empty until it is set."""
    profile_picture_url: str
    """The user's own picture, or one with initials."""
    date_joined: Datetime
    """When the user joined."""
    email: str | None
    """Null when there is none, or the token lacks `access_email`."""
    phone: str | None
    """Null when there is none, or the token lacks `access_phone`."""
    is_friend: bool | None
    """Whether the caller's user is a friend of this one; null for oneself."""
    friends_count: int
    """How many friends the user has."""


class Friend(TypedDict):
    """A user in a list of friends."""

    id: Id
    """The user."""
    username: str
    """Unique without regard to case."""
    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    display_name: str
    """What to call the user."""
    about: str
    """The bio; empty until it is set."""
    profile_picture_url: str
    """The user's own picture, or one with initials."""


class Party(TypedDict):
    """A user as a party of a payment."""

    id: Id
    """The user."""
    username: str
    """Unique without regard to case."""
    first_name: str
    """First name."""
    last_name: str
    """Last name."""
    display_name: str
    """What to call the user."""
    about: str
    """The bio; empty until it is set."""
    profile_picture_url: str
    """The user's own picture, or one with initials."""
    date_joined: Datetime
    """When the user joined."""


class Target(TypedDict):
    """To whom the payment went: exactly one of `user`, `email` and `phone` is set."""

    type: Literal['user', 'email', 'phone']
    """How the actor named the target."""
    email: str | None
    """The address of the payee, until a user verifies it."""
    phone: str | None
    """The phone number of the payee, until a user verifies it."""
    user: Party | None
    """Null until a user verifies the address."""


class ListedPayment(TypedDict):
    """A payment in a list and after PUT: without `medium`, `fee` and `refund`."""

    id: Id
    """The payment."""
    status: Literal['settled', 'pending', 'failed', 'expired', 'cancelled']
    """All but `pending` are final."""
    action: Literal['pay', 'charge']
    """`pay` sends money, `charge` asks for it."""
    amount: Decimal
    """Positive for a pay, negative for a charge."""
    note: str
    """As sent, trimmed."""
    audience: Literal['public', 'friends', 'private']
    """Display only: it gives no other user access to the payment."""
    date_created: Datetime
    """When it was made."""
    date_completed: Datetime | None
    actor: Party
    """Who made it."""
    target: Target


class Payment(TypedDict):
    """A payment."""

    id: Id
    """The payment."""
    status: Literal['settled', 'pending', 'failed', 'expired', 'cancelled']
    """All but `pending` are final."""
    action: Literal['pay', 'charge']
    """`pay` sends money, `charge` asks for it."""
    amount: Decimal
    """Positive for a pay, negative for a charge."""
    note: str
    """As sent, trimmed."""
    audience: Literal['public', 'friends', 'private']
    """Display only: it gives no other user access to the payment."""
    medium: Literal['ios', 'android', 'web', 'api']
    """Through what the payment was made."""
    date_created: Datetime
    """When it was made."""
    date_completed: Datetime | None
    actor: Party
    """Who made it."""
    target: Target
    fee: Decimal | None
    """What the payer pays on top of the amount; null when there is no fee."""
    refund: Payment | None
    """The payment by which a held pay went back to its payer."""


class Me(TypedDict):
    """The user and what they have."""

    balance: Decimal | None
    """Null when the token lacks `access_balance`. Negative after a chargeback."""
    user: User


class CreatedPayment(TypedDict):
    """The payment, and what is left."""

    balance: Decimal
    """What the actor has after this call, whatever the token's scopes. Negative after a chargeback."""
    payment: Payment


ErrorCode: TypeAlias = Literal['invalid_request', 'missing_parameter', 'invalid_amount', 'invalid_note', 'invalid_audience', 'invalid_target', 'invalid_email', 'invalid_phone', 'invalid_limit', 'invalid_date', 'invalid_status', 'invalid_action', 'cannot_pay_self', 'insufficient_funds', 'sandbox_amount_unknown', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type', 'unsupported_response_type', 'missing_token', 'invalid_token', 'expired_token', 'revoked_token', 'invalid_client', 'insufficient_scope', 'not_permitted', 'merchant_payments_not_allowed', 'account_frozen', 'resource_not_found', 'method_not_allowed', 'payment_not_pending', 'idempotency_in_progress', 'payload_too_large', 'uri_too_long', 'unsupported_media_type', 'idempotency_key_reused', 'rate_limited', 'headers_too_large', 'internal_error', 'service_unavailable', 'outcome_unknown']
"""For programs: it is stable."""


AMOUNT_FIELDS = frozenset(["amount", "balance", "fee"])
