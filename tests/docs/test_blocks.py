"""The collector sees every code block, and no block escapes its run without a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_blocks import LANGUAGES, Block, Scene, WrongPage, blocks_of, code_spans, fences_in, pages, steps_of
from doc_matching import Differs, Names, appears, compare, told_by_each
from doc_story import SCENES, Story, commands_of
from reference.cli_page import commands

ROOT = Path(__file__).parents[2]
UNRUN_MAX = 3
PAGES = {page: (ROOT / page).read_text("utf-8") for page in pages(ROOT)}
BLOCKS = [block for page, text in PAGES.items() for block in blocks_of(page, text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_fence_of_a_page_is_a_block(page: str):
    """Counted line by line, and not by the parser that finds the blocks."""
    assert len(blocks_of(page, PAGES[page])) == fences_in(PAGES[page])


def test_few_blocks_are_not_run_and_each_says_why():
    unrun = [block for block in BLOCKS if {"not run", "dry run"} & set(block.orders)]
    assert len(unrun) <= UNRUN_MAX, [block.place for block in unrun]
    assert all(len("".join(block.orders.values())) > 20 for block in unrun)


def test_every_language_has_a_runner():
    assert [language for language in LANGUAGES if not hasattr(Story, f"_{language}")] == []


def test_every_scene_is_there_and_is_used():
    named = {step.name for page, text in PAGES.items() for step in steps_of(page, text) if isinstance(step, Scene)}
    assert named == {"server", *(path.stem for path in SCENES.glob("*.py"))}


def test_every_program_that_is_shown_is_run_by_its_page():
    programs = [block for block in BLOCKS if block.title.endswith((".py", ".ts"))]
    assert programs
    for program in programs:
        name = Path(program.title).stem
        run = [
            command
            for block in BLOCKS
            if block.page == program.page and block.language == "console"
            for command, _ in commands_of(block)
            if re.match(rf"(python|node|pytest)\b.*\b{name}\.(py|js)$", command)
        ]
        assert run or program.title == "conftest.py", f"{program.place}: {program.title} is not run"


def test_every_command_in_the_prose_is_one():
    """What stands between backticks and begins with `kinpost` or `make` is a command, with options that it has."""
    known = dict(commands())
    targets = set(re.findall(r"^([a-z_-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    wrong = []
    for page, text in PAGES.items():
        for span in code_spans(text):
            words = span.split()
            if words[:1] == ["make"] and len(words) > 1 and words[1] not in targets:
                wrong.append(f"{page}: {span}")
            if words[:1] == ["kinpost"] and len(words) > 1 and not is_command(words[1:], known):
                wrong.append(f"{page}: {span}")
    assert wrong == []


def is_command(words: list[str], known: dict) -> bool:
    """Whether words after `kinpost` begin with a command or a group of them, and its options are its own."""
    if words[0].startswith("-"):
        return words[0] in {"--install-completion", "--version", "--help"}
    if words[0] == "COMMAND":
        return True
    found = [name for name in known if name == tuple(words[: len(name)])]
    options = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help"}
    if not found:
        return any(name[: len(words)] == tuple(words) for name in known)
    own = {option for each in known[found[0]].params for option in (*each.opts, *each.secondary_opts)}
    return options <= own


@pytest.mark.parametrize(
    "text",
    [
        "```ruby\nputs 1\n```\n",
        "```\nno language\n```\n",
        "    indented\n",
        "```text\nfrom nowhere\n```\n",
        "<!-- not run: -->\n```sh\nls\n```\n",
        "<!-- norun: why -->\n```sh\nls\n```\n",
        "<!-- background -->\n\nprose\n",
        '```python file="x.py"\n```\n',
        "<script>alert(1)</script>\n",
    ],
)
def test_what_the_collector_does_not_understand_is_a_fault(text: str):
    with pytest.raises(WrongPage):
        steps_of("page.md", text)


def test_a_block_is_read_with_its_orders():
    text = "# A\n\n<!-- scene: x -->\n<!-- ends with: 4 -->\n```console\n$ a \\\n> b\nout\n$ c\n```\n"
    scene, block = steps_of("page.md", text)
    assert scene == Scene("page.md", 3, "x")
    assert block == Block("page.md", 5, "console", "", "$ a \\\n> b\nout\n$ c\n", {"ends with": "4"})
    assert commands_of(block) == [("a \\\nb", ["out"]), ("c", [])]


def test_fences_are_counted():
    assert fences_in("```sh\n```\n\n````text\n```\n````\n  ~~~\n  ~~~\n") == 3


class TestMatching:
    def test_ids_differ_but_not_from_line_to_line(self):
        names = Names()
        compare(
            ["scout_5e6f7a8b  is  idle", "to scout_5e6f7a8b"], ["scout_00000001 is idle", "to scout_00000001"], names
        )
        assert names.real("kinpost send scout_5e6f7a8b x") == "kinpost send scout_00000001 x"
        with pytest.raises(Differs):
            compare(["by scout_5e6f7a8b"], ["by scout_00000002"], names)

    @pytest.mark.parametrize(
        "shown, came",
        [(["a"], ["b"]), (["a"], ["a", "b"]), (["a", "b"], ["a"]), (["at 10:00:00"], ["at noon"]), (["a", "..."], [])],
    )
    def test_what_differs_is_seen(self, shown, came):
        with pytest.raises(Differs):
            compare(shown, came, Names())

    def test_lines_may_be_left_out_where_it_says_so(self):
        compare(["a", "...", "d", "..."], ["a", "b", "c", "d", "e"], Names())
        compare(["took 3 ms, and ...", "Look into the …"], ["took 14.5 s, and more", "Look into the cellar"], Names())

    def test_the_order_counts(self):
        assert appears(["b", "a"], ["a", "b"], Names()) == "a"
        assert appears(["a", "c"], ["a", "b", "c"], Names()) == ""

    def test_each_speaker_has_its_own_order(self):
        came = ["x one", "y one", "x two", "  more", "y two"]
        assert told_by_each(["y one", "y two", "x two", "  more"], came, Names()) == ""
        assert told_by_each(["y two", "y one"], came, Names()) == "y one"
        assert told_by_each(["x two", "  less"], came, Names()) == "x two\n  less"
