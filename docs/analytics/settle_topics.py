"""Reads the public topics from Kafka, up to the newest watermark."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from settle_records import Extent, Record

WATERMARKS = "ledger.watermarks.v1"
RECORDS_AT_ONCE = 10_000
POLL_S = 1.0
STALLED_S = 60.0


class Mark(NamedTuple):
    """How far a partition is filled: every record up to `position` lies below `offset`."""

    topic: str
    partition: int
    epoch: int
    position: int
    offset: int


class Place(NamedTuple):
    """Where reading of a partition continues."""

    epoch: int
    offset: int


class Topics:
    """The public topics of a Settle on Kafka. It joins no consumer group: what was read is known by its reader alone."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._prefix = env.get("KAFKA_TOPIC_PREFIX", "")
        settings: dict[str, str | bool] = {
            "bootstrap.servers": env.get("KAFKA_BROKERS", "localhost:9092"),
            # The library wants one. The rights of analysts begin so; nothing is committed under it.
            "group.id": env.get("KAFKA_GROUP", "analysts-recipes"),
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
        is_encrypted = env.get("KAFKA_SSL") == "true"
        if env.get("KAFKA_USERNAME"):
            settings["security.protocol"] = "SASL_SSL" if is_encrypted else "SASL_PLAINTEXT"
            settings["sasl.mechanisms"] = env.get("KAFKA_SASL_MECHANISM", "SCRAM-SHA-512")
            settings["sasl.username"] = env["KAFKA_USERNAME"]
            settings["sasl.password"] = env.get("KAFKA_PASSWORD", "")
        elif is_encrypted:
            settings["security.protocol"] = "SSL"
        self._consumer = Consumer(settings)

    def close(self) -> None:
        self._consumer.close()

    def read_marks(self) -> list[Mark]:
        """Returns the newest watermark: a mark for each partition of each topic. Error: there is none."""
        place = TopicPartition(self._prefix + WATERMARKS, 0)
        low, high = self._consumer.get_watermark_offsets(place, timeout=STALLED_S)
        if high <= low:
            raise RuntimeError(f"{place.topic} is empty: is payments-service running?")
        for message in self._read({(place.topic, 0): (high - 1, high)}):
            return [
                Mark(of["topic"], of["partition"], of["epoch"], of["position"], of["offset"])
                for of in json.loads(message.value())["partitions"]
            ]
        raise RuntimeError(f"The newest record of {place.topic} is gone. Try again.")

    def read(self, marks: list[Mark], places: Mapping[tuple[str, int], Place]) -> Iterator[Record]:
        """Yields the records up to the marks, each partition from its place on: from the beginning without one, or if the
        epoch has risen since. Records can come twice, and so can those that are void because their epoch is over."""
        ranges: dict[tuple[str, int], tuple[int, int]] = {}
        for mark in marks:
            place = places.get((mark.topic, mark.partition))
            start = place.offset if place is not None and place.epoch == mark.epoch else 0
            ranges[self._prefix + mark.topic, mark.partition] = (start, mark.offset)
        for message in self._read(ranges):
            yield self._record_of(message)

    def _record_of(self, message: Message) -> Record:
        headers = {name: value.decode() for name, value in message.headers() or []}
        return Record(
            topic=message.topic().removeprefix(self._prefix),
            epoch=int(headers.get("epoch", 1)),
            position=int(headers["position"]),
            key=message.key().decode(),
            time=headers["time"],
            type=headers["type"],
            data=message.value().decode(),
        )

    def _read(self, ranges: Mapping[tuple[str, int], tuple[int, int]]) -> Iterator[Message]:
        """Yields the messages of partitions, each from an offset up to and without another. Error: no message in time."""
        unread = {place: until for place, (start, until) in ranges.items() if start < until}
        self._consumer.assign([TopicPartition(*place, ranges[place][0]) for place in unread])
        newest_s = time.monotonic()
        while unread:
            for message in self._consumer.consume(RECORDS_AT_ONCE, POLL_S):
                newest_s = time.monotonic()
                place = (message.topic(), message.partition())
                error = message.error()
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                if error is None and message.offset() < ranges[place][1]:
                    yield message
                # The end of a partition reports the offset of the next record.
                next_offset = message.offset() + (0 if error is not None else 1)
                if next_offset >= ranges[place][1]:
                    unread.pop(place, None)
            if time.monotonic() - newest_s > STALLED_S:
                raise TimeoutError(f"No records of {sorted(unread)} within {STALLED_S:.0f} s")
        self._consumer.unassign()


def extents_of(marks: list[Mark]) -> list[Extent]:
    """Returns how far whole topics are complete: as far as their emptiest partition, under the newest epoch."""
    extents: dict[str, Extent] = {}
    for mark in marks:
        known = extents.get(mark.topic)
        if known is None or (mark.epoch, -mark.position) > (known.epoch, -known.position):
            extents[mark.topic] = Extent(mark.topic, mark.epoch, mark.position)
    return list(extents.values())
