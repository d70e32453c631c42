"""Makes Polars data frames from the public topics, as Parquet files: `python to_polars.py <folder> [<export> ...]`.

Without exports it reads Kafka up to the newest watermark. The frames are the tables of `to_duckdb.py`.
"""

import sys
from pathlib import Path

import polars as pl

import settle_records
from settle_records import Extent, Record, read_export

CENTS = pl.Int64
SCHEMA = {
    "topic": pl.String,
    "epoch": pl.Int32,
    "position": pl.Int64,
    "key": pl.String,
    "time": pl.String,
    "type": pl.String,
    "data": pl.String,
}


def read_kafka() -> tuple[list[Record], list[Extent]]:
    """Returns all records up to the newest watermark."""
    # Exports need no client of Kafka.
    from settle_topics import Topics, extents_of

    topics = Topics()
    try:
        marks = topics.read_marks()
        return list(topics.read(marks, {})), extents_of(marks)
    finally:
        topics.close()


def field(name: str, kind: type[pl.DataType] = pl.String) -> pl.Expr:
    """A field of the value, null where it is null or missing."""
    return pl.col("data").str.json_path_match(f"$.{name}").cast(kind)


def events_of(records: list[Record], extents: list[Extent]) -> pl.DataFrame:
    """Each record once, of the newest epoch of its topic and within its extent."""
    complete = pl.DataFrame(extents, schema=["topic", "epoch", "until"], orient="row")
    newest = complete.filter(pl.col("epoch") == pl.col("epoch").max().over("topic")).cast({"epoch": pl.Int32})
    return (
        pl.DataFrame(records, schema=SCHEMA, orient="row")
        .unique(["topic", "epoch", "position"], keep="first")
        .join(newest, on=["topic", "epoch"])
        .filter(pl.col("position") <= pl.col("until"))
        .with_columns(pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us"))
        .select("topic", "position", "key", "time", "type", "data")
        .sort("topic", "position")
    )


def payments_of(events: pl.DataFrame) -> pl.DataFrame:
    """Each payment once, with its end if it has one."""
    of_payments = events.filter(topic="payments.events.v1")
    is_first = pl.col("type") == "PaymentCreated"
    ended = of_payments.filter(~is_first).select(
        "key",
        field("targetUserId").alias("final_target_user_id"),
        field("status").alias("final_status"),
        pl.col("time").alias("ended_at"),
        field("reason").alias("reason"),
        field("refundPaymentId").alias("refund_payment_id"),
    )
    created = of_payments.filter(is_first).select(
        "key",
        field("paymentId").alias("payment_id"),
        "position",
        pl.col("time").alias("created_at"),
        field("action").alias("action"),
        field("mode").alias("mode"),
        field("actorUserId").alias("actor_user_id"),
        field("targetUserId").alias("target_user_id"),
        field("targetType").alias("target_type"),
        field("amountCents", CENTS).alias("amount_cents"),
        field("feeCents", CENTS).alias("fee_cents"),
        field("currency").fill_null("USD").alias("currency"),
        field("audience").alias("audience"),
        field("medium").alias("medium"),
        field("appId").alias("app_id"),
        field("originalPaymentId").alias("original_payment_id"),
    )
    is_pay = pl.col("action") == "pay"
    return (
        created.join(ended, on="key", how="left")
        .with_columns(
            pl.coalesce("final_target_user_id", "target_user_id").alias("target_user_id"),
            pl.col("final_status").fill_null("pending").alias("status"),
        )
        .with_columns(
            pl.when(is_pay).then("actor_user_id").otherwise("target_user_id").alias("payer_user_id"),
            pl.when(is_pay).then("target_user_id").otherwise("actor_user_id").alias("payee_user_id"),
        )
        .select(
            *created.columns[1:],
            *("status", "ended_at", "reason", "refund_payment_id", "payer_user_id", "payee_user_id"),
        )
        .sort("position")
    )


def entries_of(events: pl.DataFrame) -> pl.DataFrame:
    """Each movement of money once."""
    return (
        events.filter(topic="ledger.entries.v1")
        .select(
            "position",
            "time",
            field("movement").alias("movement"),
            field("debitAccount").alias("debit_account"),
            field("creditAccount").alias("credit_account"),
            field("amountCents", CENTS).alias("amount_cents"),
            field("currency").alias("currency"),
            field("paymentId").alias("payment_id"),
            field("fundingId").alias("funding_id"),
        )
        .sort("position")
    )


def balances_of(entries: pl.DataFrame) -> pl.DataFrame:
    """What each account holds. The sum of all is zero."""
    debits = entries.select(
        pl.col("debit_account").alias("account"), "currency", -pl.col("amount_cents").alias("cents")
    )
    credits = entries.select(
        pl.col("credit_account").alias("account"), "currency", pl.col("amount_cents").alias("cents")
    )
    return pl.concat([debits, credits]).group_by("account", "currency").agg(pl.col("cents").sum()).sort("account")


def frames_of(records: list[Record], extents: list[Extent]) -> dict[str, pl.DataFrame]:
    """Returns the frames by name: events, payments, entries, balances."""
    events = events_of(records, extents)
    entries = entries_of(events)
    return {"events": events, "payments": payments_of(events), "entries": entries, "balances": balances_of(entries)}


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, exports = Path(sys.argv[1]), sys.argv[2:]
    if exports:
        records = list(read_export(exports))
        extents = settle_records.extents_of(records)
    else:
        records, extents = read_kafka()
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames_of(records, extents).items():
        frame.write_parquet(folder / f"{name}.parquet")
        print(f"{name}: {frame.height} rows")


if __name__ == "__main__":
    main()
