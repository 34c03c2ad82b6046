"""The runner of pages fails where a page is wrong: each kind of block is shown a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from doc_blocks import steps_of
from doc_story import Story
from kinpost_server.settings import SettingsFault


async def tell(folder: Path, text: str) -> None:
    await Story(folder).tell(steps_of("page.md", text))


async def test_a_page_that_says_what_happens_passes(tmp_path: Path):
    await tell(
        tmp_path,
        '```json title="a/b.json"\n{"n": 1}\n```\n'
        "```console\n$ cd a && export N=$(cat b.json)\n$ pwd; echo $N\n...\n"
        '{"n": 1}\n```\n'
        "<!-- ends with: 3 -->\n```console\n$ (exit 3)\n```\n"
        "<!-- background: 2 -->\n```console\n$ python -c 'import signal; print(12, flush=True); signal.pause()'\n```\n"
        "<!-- before:\none = 1\n-->\n```python\nassert one == 1\n```\n"
        "```python\nimport asyncio\nawait asyncio.gather()\nassert one == 1\n```\n"
        '```toml\n[log]\nlevel = "info"\n```\n',
    )


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ false\n```\n",
        "```console\n$ echo a\nb\n```\n",
        "```console\n$ export X=$(false)\n```\n",
        "```sh\nfalse\ntrue\n```\n",
        "<!-- background: never -->\n```console\n$ echo said; exit\n```\n",
        "```python\nassert False\n```\n",
        '```python title="x.py"\ndef\n```\n',
        '```typescript title="x.ts"\nexport function f(a) {\n  return a;\n}\n```\n',
        "```json\n{]\n```\n",
        "```toml\n[messaging]\nmax_hoops = 1\n```\n",
        "```markdown\nno front matter\n```\n",
        "<!-- shown by: echo b -->\n```text\na\n```\n",
        "<!-- appears in: nothing -->\n```text\na\n```\n",
        "<!-- dry run: nobody has it -->\n```sh\nmake nonsense\n```\n",
        "```console\n$ curl 127.0.0.1:7419\n```\n",
    ],
)
async def test_a_page_that_is_wrong_fails(text: str, tmp_path: Path):
    with pytest.raises((AssertionError, ValueError, SyntaxError, SettingsFault)):
        await tell(tmp_path, text)
