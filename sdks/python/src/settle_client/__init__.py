"""The Python client of Settle, a person-to-person payment wallet."""

from ._client import SettleClient, Users
from ._errors import NoResponseError, OutcomeUnknownError, SettleError
from ._models import CreatedPayment, ErrorCode, Friend, ListedPayment, Me, Party, Payment, Target, User
from ._oauth import App, Authorization, Pkce, Tokens, authorization_url, create_pkce, exchange_code
from ._paged_list import PagedList
from ._payments import Payments

__all__ = [
    "App",
    "Authorization",
    "CreatedPayment",
    "ErrorCode",
    "Friend",
    "ListedPayment",
    "Me",
    "NoResponseError",
    "OutcomeUnknownError",
    "PagedList",
    "Party",
    "Payment",
    "Payments",
    "Pkce",
    "SettleClient",
    "SettleError",
    "Target",
    "Tokens",
    "User",
    "Users",
    "authorization_url",
    "create_pkce",
    "exchange_code",
]
