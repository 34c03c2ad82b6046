"""A scrape of `/metrics`, read by Prometheus's own parser."""

from __future__ import annotations

from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

SECONDS_MAX = 60.0


async def fetch(server: Any, path: str = "/metrics", secret: str = "") -> httpx.Response:
    """Ask the HTTP port; with a token when there is one."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    async with httpx.AsyncClient(
        base_url=f"http://{server.http_address}", headers=headers, timeout=SECONDS_MAX
    ) as client:
        return await client.get(path)


async def scrape(server: Any, secret: str = "") -> dict[str, float]:
    """Return each sample's value, by its name with its labels: `a_total{code=ok,command=SendMessage}`."""
    answer = await fetch(server, secret=secret)
    assert answer.status_code == 200, answer.text
    return samples(answer.text)


def samples(text: str) -> dict[str, float]:
    """Return the samples of an exposition."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found
