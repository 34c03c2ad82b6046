"""What people get: a table, the raw samples as JSON, and a chart."""

from __future__ import annotations

import json
import platform
import statistics
from dataclasses import asdict, replace
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmark.load import Sample
from benchmark.rows import Row


def print_table(rows: list[Row], console: Console) -> None:
    """Print each row with the median of its rounds."""
    table = Table(
        title="Medians of the rounds: 256-byte bodies, commits that wait for the disk, client beside server",
        caption="What is lost or consumed twice under kill -9 is counted by `make torture`",
    )
    for heading in ("figure", "measured", "against", "ratio", "rounds", "goal", ""):
        table.add_column(heading, justify="left" if heading in ("figure", "goal", "") else "right")
    for row in rows:
        table.add_row(
            row.name,
            f"{statistics.median(row.measured):,.2f} {row.unit}",
            f"{statistics.median(row.yardstick):,.2f} {row.unit}",
            f"{row.ratio:.2f}",
            f"{min(row.ratios):.2f} … {max(row.ratios):.2f}",
            row.goal,
            ("holds" if row.holds else "MISSED") if row.limit else "",
        )
    console.print(table)


def write_json(rows: list[Row], path: Path) -> None:
    """Write every round, and every call that was measured."""
    data = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "rows": [_row(row) for row in rows],
    }
    path.write_text(json.dumps(data) + "\n")


def _row(row: Row) -> dict[str, object]:
    calls = {side: [_calls(sample) for sample in samples] for side, samples in row.calls.items()}
    return asdict(replace(row, calls={})) | {"ratio": row.ratio, "holds": row.holds, "calls": calls}


def _calls(sample: Sample) -> dict[str, object]:
    latencies = [round(seconds * 1_000_000) for seconds in sample.latencies]
    return {"seconds": sample.seconds, "latencies_microseconds": latencies}


def write_chart(rows: list[Row], path: Path) -> None:
    """Draw how far each figure is from its goal: the bar is the share of the goal that is reached."""
    height = 40 * len(rows) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height}" font-family="sans" font-size="13">',
        f'<line x1="660" y1="20" x2="660" y2="{height - 20}" stroke="#888" stroke-dasharray="4"/>',
        '<text x="664" y="16" fill="#666">goal</text>',
    ]
    for index, row in enumerate(rows):
        limit = row.limit or 1.0  # what has no goal is drawn beside what it is measured against
        share = limit / max(row.ratio, 0.01) if row.at_most else row.ratio / limit
        y = 30 + 40 * index
        width = min(share, 1.6) * 280
        colour = "#2a7" if row.holds else "#c53"
        parts.append(f'<text x="8" y="{y + 16}">{escape(row.name)}</text>')
        parts.append(f'<rect x="380" y="{y}" width="{width:.0f}" height="24" fill="{colour}"/>')
        parts.append(f'<text x="386" y="{y + 17}" fill="#fff">{row.ratio:.2f}</text>')
    parts.append("</svg>")
    path.write_text("\n".join(parts) + "\n")
