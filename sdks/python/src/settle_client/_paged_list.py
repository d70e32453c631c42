"""A list of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from ._caller import Caller, Parameters

Item = TypeVar("Item")


class PagedList(Generic[Item]):
    """A list of the API. It is read page by page while it is iterated over, each time from its beginning."""

    def __init__(self, caller: Caller, path: str, query: Parameters) -> None:
        self._caller = caller
        self._path = path
        self._query = query

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[list[Item]]:
        """Yields the entries of each page. `limit` is the size of a page. Errors: `SettleError`, `NoResponseError`."""
        return self._caller.pages(self._path, self._query)
