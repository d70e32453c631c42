"""Draws the charts of a DuckDB file of `to_duckdb.py`, as SVG files: `python charts.py <file> <folder>`.

The queries are the dbt models of this folder; dbt itself is not needed.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import matplotlib

matplotlib.use("svg")
# The same numbers give the same file.
matplotlib.rcParams.update({"svg.hashsalt": "settle", "svg.fonttype": "none", "font.size": 9, "axes.grid": True})
matplotlib.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "grid.alpha": 0.3})

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

MODELS = Path(__file__).parent / "dbt/models"
SOURCE = re.compile(r"\{\{ source\('settle', '(\w+)'\) \}\}")

Columns = dict[str, list[Any]]


def query(database: duckdb.DuckDBPyConnection, model: str) -> Columns:
    """Returns the columns of a dbt model, computed from the tables of the file."""
    result = database.execute(SOURCE.sub(r"\1", (MODELS / f"{model}.sql").read_text()))
    names = [column[0] for column in result.description]
    columns = zip(*result.fetchall(), strict=True)
    return dict(zip(names, map(list, columns), strict=False)) or {name: [] for name in names}


def dollars(cents: list[int]) -> list[float]:
    return [value / 100 for value in cents]


def draw_daily_volume(axes: Axes, of: Columns) -> None:
    axes.bar(of["day"], dollars(of["amount_cents"]), color="#3465a4")
    axes.set_ylabel("USD settled a day")


def draw_active_users(axes: Axes, of: Columns) -> None:
    for name, label in (("daily", "a day"), ("weekly", "7 days"), ("monthly", "28 days")):
        axes.plot(of["day"], of[name], label=label, marker="." if len(of["day"]) == 1 else None)
    axes.set_ylabel("active users")
    axes.legend()


def draw_time_to_approve(axes: Axes, of: Columns) -> None:
    for name, label in (("median_seconds", "median"), ("p90_seconds", "90 % within")):
        axes.plot(of["week"], [seconds / 3_600 for seconds in of[name]], marker="o", label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.set_ylabel("hours until approved")
    axes.legend()


def draw_charge_funnel(axes: Axes, of: Columns) -> None:
    bars = axes.barh(of["stage"], of["charges"], color="#4e9a06")
    axes.bar_label(bars, [f"{share:.0%}" for share in of["share"]], padding=2)
    axes.invert_yaxis()
    axes.set_xlabel("charges")


def draw_cohort_retention(axes: Axes, of: Columns) -> None:
    for cohort in sorted(set(of["cohort_week"])):
        rows = [
            (number, share * 100)
            for week, number, share in zip(of["cohort_week"], of["week_number"], of["share"], strict=True)
            if week == cohort
        ]
        axes.plot(*zip(*rows, strict=True), marker=".", label=f"{cohort:%d %b}")
    axes.set_xlabel("weeks after the first payment")
    axes.set_ylabel("% who pay")
    axes.legend(ncols=2, fontsize=7)


def draw_account_balances(axes: Axes, of: Columns) -> None:
    totals: dict[str, int] = {}
    for kind, cents in zip(of["kind"], of["cents"], strict=True):
        totals[kind] = totals.get(kind, 0) + cents
    bars = axes.bar(list(totals), dollars(list(totals.values())), color="#c17d11")
    axes.bar_label(bars, [f"{value:,.2f}" for value in dollars(list(totals.values()))], padding=2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.margins(y=0.15)
    axes.set_ylabel(f"USD; all together {sum(totals.values()) / 100:.2f}")


CHARTS: dict[str, Callable[[Axes, Columns], None]] = {
    "daily_volume": draw_daily_volume,
    "active_users": draw_active_users,
    "time_to_approve": draw_time_to_approve,
    "charge_funnel": draw_charge_funnel,
    "cohort_retention": draw_cohort_retention,
    "account_balances": draw_account_balances,
}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    database = duckdb.connect(sys.argv[1], read_only=True)
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for model, draw in CHARTS.items():
        figure, axes = plt.subplots(figsize=(5.6, 2.8), layout="constrained")
        axes.set_title(model.replace("_", " "))
        columns = query(database, model)
        if any(columns.values()):
            draw(axes, columns)
        if "day" in columns or "week" in columns:
            figure.autofmt_xdate(rotation=30)
        path = folder / f"{model.replace('_', '-')}.svg"
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()
