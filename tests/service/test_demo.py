"""The README's first command: every step is seen, a missing one is named, and nothing is left behind."""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from kinpost_demo.steps import Step

SECONDS = 150
SEEN = [
    step.value
    for step in (
        *(Step.DENIED, Step.UNKNOWN, Step.STEER, Step.SIBLING, Step.PARENT),
        *(Step.QUEUE, Step.WOKEN, Step.KILLED, Step.WHOLE),
    )
]


@pytest.fixture
def demo(pytestconfig, tmp_path):
    """Run `scripts/demo`, or a command that does, and return its exit code, its lines, and the processes it had."""

    async def run(*options: str, command: list[str] | None = None, signal_at: tuple[str, int] | None = None):
        plain = [sys.executable, str(pytestconfig.rootpath / "scripts" / "demo"), *options]
        process = await asyncio.create_subprocess_exec(
            *(command or plain),
            stdout=asyncio.subprocess.PIPE,
            cwd=pytestconfig.rootpath if command else tmp_path,
        )

        def demonstration() -> psutil.Process:
            """What was started, or what that runs beside a database."""
            started = psutil.Process(process.pid)
            within = started.children() if command else []
            return next((each for each in within if "scripts/demo" in each.cmdline()), started)

        assert process.stdout is not None
        had = {}
        lines = []
        try:
            async with asyncio.timeout(SECONDS + 15):
                async for line in process.stdout:
                    lines.append(line.decode().rstrip("\n"))
                    if "as process" in lines[-1] and process.returncode is None:
                        had |= {child.pid: child for child in demonstration().children(recursive=True)}
                    if signal_at is not None and signal_at[0] in lines[-1]:
                        process.send_signal(signal_at[1])
                        signal_at = None
                code = await process.wait()
        except TimeoutError:
            raise AssertionError("it did not end:\n" + "\n".join(lines)) from None
        finally:
            if process.returncode is None:
                found = demonstration()
                for each in (*found.children(recursive=True), found):
                    each.kill()
                await process.wait()
        return code, lines, list(had.values())

    return run


@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize(
    "options, language",
    [
        pytest.param(
            [], "TypeScript", marks=pytest.mark.skipif(not shutil.which("node"), reason="there is no Node here")
        ),
        (["--python"], "Python"),
    ],
    ids=["TypeScript", "Python"],
)
async def test_every_step_is_seen(demo, options, language):
    code, lines, had = await demo("--seconds", str(SECONDS), *options)

    assert code == 0, "\n".join(lines)
    assert any(f"a runtime for scout, in {language}, as process" in line for line in lines), "\n".join(lines)
    assert [line.split("✓ ")[1].split("   ")[0] for line in lines if "✓ " in line] == SEEN
    assert lines[-1] == f"All {len(Step)} steps were seen."
    assert any("kill -9" in line for line in lines)
    assert "\x1b" not in "".join(lines)  # colours are for terminals
    assert len(had) >= 3
    assert not any(process.is_running() for process in had)


@pytest.fixture
def made(pytestconfig):
    """The very command that `make demo DATABASE=postgres` runs."""
    arguments = (f"BIN={Path(sys.executable).parent}", "DATABASE=postgres", f"ARGS=--python --seconds {SECONDS}")
    printed = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--assume-old=install", "demo", *arguments],
        cwd=pytestconfig.rootpath,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return shlex.split(printed.stdout)


@pytest.mark.timeout(SECONDS + 50)
async def test_every_step_is_seen_over_postgresql(demo, made):
    assert made[1:4:2] == ["scripts/with-postgres", "scripts/demo"]
    assert made[4:6] == ["--database", "{url}"]
    code, lines, had = await demo(command=made)

    assert code == 0, "\n".join(lines)
    assert [line.split("✓ ")[1].split("   ")[0] for line in lines if "✓ " in line] == SEEN
    assert lines[-1] == f"All {len(Step)} steps were seen."
    assert len(had) >= 3
    assert not any(process.is_running() for process in had)


@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_an_interrupted_demo_names_what_is_missing_and_leaves_nothing_running(demo, number):
    code, lines, had = await demo("--seconds", str(SECONDS), signal_at=("1 of 6", number))

    assert code == 130
    assert "Not everything was seen: it was interrupted" in lines
    missing = [line.removeprefix("  missing: ") for line in lines if line.startswith("  missing: ")]
    seen = [line.split("✓ ")[1].split("   ")[0] for line in lines if "✓ " in line]
    assert missing == [step for step in SEEN if step not in seen] != []
    assert len(had) >= 3
    assert not any(process.is_running() for process in had)


async def test_a_demo_out_of_time_says_so(demo):
    code, lines, had = await demo("--seconds", "0.01")

    assert code == 1
    assert lines[1] == "Not everything was seen: it took longer than 0.01 s"
    assert [line for line in lines if line.startswith("  missing: ")] == [f"  missing: {step.value}" for step in Step]
    assert not any(process.is_running() for process in had)
