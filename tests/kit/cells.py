"""Runs a file as Python whose top level may await, as code blocks of documentation do: `python cells.py FILE`."""

import ast
import asyncio
import inspect
import sys
from pathlib import Path


async def run(source: str, name: str) -> None:
    code = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, {"__name__": "__main__"})
    if inspect.isawaitable(result):
        await result


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]).read_text("utf-8"), sys.argv[1]))
