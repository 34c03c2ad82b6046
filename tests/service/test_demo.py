"""The README's first command: every step is seen, a missing one is named, and nothing is left behind."""

import asyncio
import shutil
import signal
import sys

import psutil
import pytest
from kinpost_demo.steps import Step

SECONDS = 150


@pytest.fixture
def demo(pytestconfig, tmp_path):
    """Run `scripts/demo` and return its exit code, its lines, and the processes it had."""

    async def run(*options: str, signal_at: tuple[str, int] | None = None):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, pytestconfig.rootpath / "scripts" / "demo", *options),
            stdout=asyncio.subprocess.PIPE,
            cwd=tmp_path,
        )
        assert process.stdout is not None
        had = {}
        lines = []
        try:
            async with asyncio.timeout(SECONDS + 15):
                async for line in process.stdout:
                    lines.append(line.decode().rstrip("\n"))
                    if "as process" in lines[-1] and process.returncode is None:
                        had |= {child.pid: child for child in psutil.Process(process.pid).children(recursive=True)}
                    if signal_at is not None and signal_at[0] in lines[-1]:
                        process.send_signal(signal_at[1])
                        signal_at = None
                code = await process.wait()
        except TimeoutError:
            raise AssertionError("it did not end:\n" + "\n".join(lines)) from None
        finally:
            if process.returncode is None:
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
                process.kill()
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
    assert [line.split("✓ ")[1].split("   ")[0] for line in lines if "✓ " in line] == [
        step.value
        for step in (
            *(Step.DENIED, Step.UNKNOWN, Step.STEER, Step.SIBLING, Step.PARENT),
            *(Step.QUEUE, Step.WOKEN, Step.KILLED, Step.WHOLE),
        )
    ]
    assert lines[-1] == f"All {len(Step)} steps were seen."
    assert any("kill -9" in line for line in lines)
    assert "\x1b" not in "".join(lines)  # colours are for terminals
    assert len(had) >= 3
    assert not any(process.is_running() for process in had)


@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_an_interrupted_demo_names_what_is_missing_and_leaves_nothing_running(demo, number):
    code, lines, had = await demo("--seconds", str(SECONDS), signal_at=("1 of 6", number))

    assert code == 130
    assert "Not everything was seen: it was interrupted" in lines
    assert f"  missing: {Step.KILLED.value}" in lines
    assert len(had) >= 3
    assert not any(process.is_running() for process in had)


async def test_a_demo_out_of_time_says_so(demo):
    code, lines, had = await demo("--seconds", "0.01")

    assert code == 1
    assert lines[1] == "Not everything was seen: it took longer than 0.01 s"
    assert [line for line in lines if line.startswith("  missing: ")] == [f"  missing: {step.value}" for step in Step]
    assert not any(process.is_running() for process in had)
