"""Makes payments among the demo users of a Settle in development, so that there is something to read: `python traffic.py [<rounds>]`.

Needs the client library (`pip install sdks/python`) and the tokens of alice, bob and carol as `ALICE_TOKEN`, `BOB_TOKEN` and
`CAROL_TOKEN`. `SETTLE_URL` is http://localhost:3000/v1 by default.
"""

import os
import random
import sys
import time

from settle_client import App, SettleClient, SettleError, Tokens

USERS = ("alice", "bob", "carol")
HELD = 0.08


def patiently(call, **arguments):
    """Calls, and again when the rate limit allows it. Returns None if the call is refused."""
    while True:
        try:
            return call(**arguments)
        except SettleError as error:
            if error.status != 429 or error.retry_after_s is None or error.retry_after_s > 60:
                return None
            time.sleep(error.retry_after_s)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    app = App(os.environ.get("SETTLE_URL", "http://localhost:3000/v1"), "demo-app")
    clients = {name: SettleClient(app, Tokens(os.environ[f"{name.upper()}_TOKEN"])) for name in USERS}
    ids = {name: client.me()["user"]["id"] for name, client in clients.items()}
    counts: dict[str, int] = {}
    for number in range(rounds):
        payer, payee = random.sample(USERS, 2)
        amount = f"{random.randint(10, 300) / 100:.2f}"
        is_held = random.random() < HELD
        target = {"email": f"friend{number % 10}@example.org"} if is_held else {"user_id": ids[payee]}
        made = patiently(clients[payer].payments.create, amount=amount, note="traffic", **target)
        asked = patiently(clients[payee].payments.create, amount=f"-{amount}", note="traffic", user_id=ids[payer])
        if asked is not None and asked["payment"]["status"] == "pending":
            act = random.choice(("approve", "approve", "approve", "deny", None))
            if act is not None:
                patiently(getattr(clients[payer].payments, act), payment_id=asked["payment"]["id"])
        for created in (made, asked):
            status = "refused" if created is None else created["payment"]["status"]
            counts[status] = counts.get(status, 0) + 1
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
