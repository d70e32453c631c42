"""Records of the public topics, from the lines of an export or (see `settle_topics.py`) from Kafka."""

import gzip
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Record(NamedTuple):
    """A record of a public topic. Within an epoch of a topic, no two have the same position."""

    topic: str
    """Without the prefix of the installation."""
    epoch: int
    """Rises when the topic is filled anew; records of a lower one are void. An export is of one epoch and does not name it."""
    position: int
    """Place among all events of the ledger."""
    key: str
    time: str
    """When it happened: ISO 8601 in UTC, to the microsecond."""
    type: str
    data: str
    """The value as JSON."""


class Extent(NamedTuple):
    """How far a topic is complete: every record up to the position is known."""

    topic: str
    epoch: int
    position: int


EXPORT_EPOCH = 1


def read_export(paths: Iterable[str]) -> Iterator[Record]:
    """Yields the records of files that `npm run events -- export` has written, packed with gzip or not."""
    for path in paths:
        open_text = gzip.open if path.endswith(".gz") else open
        with open_text(path, "rt", encoding="utf-8") as lines:
            for text in lines:
                line = json.loads(text)
                data = json.dumps(line["data"], separators=(",", ":"), ensure_ascii=False)
                yield Record(
                    line["topic"], EXPORT_EPOCH, line["position"], line["key"], line["time"], line["type"], data
                )


def extents_of(records: Iterable[Record]) -> list[Extent]:
    """Returns the extents of whole exports: the newest position of each topic."""
    newest: dict[str, int] = {}
    for record in records:
        newest[record.topic] = max(record.position, newest.get(record.topic, 0))
    return [Extent(topic, EXPORT_EPOCH, position) for topic, position in newest.items()]
