"""What the OpenAPI document says in words, because OpenAPI has no keyword for it."""

import os
import re

import schemathesis

ID = re.compile(r"[1-9][0-9]{17,18}")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves out what is right by itself and refused because of what else is there or missing."""
    query, body = case.query, case.body
    # `before_id` needs `before`.
    if isinstance(query, dict) and "before" not in query and ID.fullmatch(str(query.get("before_id"))):
        del query["before_id"]
    # The access token stands in one place: these requests carry it in the header.
    if isinstance(body, dict) and isinstance(body.get("access_token"), (str, type(None))):
        body.pop("access_token", None)
    # Giving a token back would end the run: that call has a token of its own.
    if case.method == "DELETE":
        for headers in (case.headers, kwargs.get("headers")):
            if headers and headers.get("Authorization") == f"Bearer {os.environ['SETTLE_TOKEN']}":
                headers["Authorization"] = f"Bearer {os.environ['SETTLE_SPARE_TOKEN']}"
