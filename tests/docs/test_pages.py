"""Every command and code block of the README and the documentation is run, page by page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from doc_blocks import pages, steps_of
from doc_story import Story

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("page", pages(ROOT))
async def test_what_a_page_shows_happens(page: str, tmp_path: Path):
    steps = steps_of(page, (ROOT / page).read_text("utf-8"))
    if any(getattr(step, "language", "") == "typescript" for step in steps) and shutil.which("node") is None:
        pytest.skip("there is no Node here")
    await Story(tmp_path).tell(steps)
