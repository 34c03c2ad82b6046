"""The example configuration: every key is in it, explained, and it is one that the server reads."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kinpost_server.settings import Settings, keys, load
from kinpost_server.settings.example import example

ROOT = Path(__file__).parents[2]


def test_the_committed_example_is_what_the_command_prints():
    assert (ROOT / "deploy" / "kinpost.toml").read_text() == example(), (
        "mend with: kinpost config > deploy/kinpost.toml"
    )


def test_as_it_stands_it_changes_nothing(tmp_path):
    path = tmp_path / "kinpost.toml"
    path.write_text(example())
    assert load({}, path) == Settings()


def test_with_every_key_in_force_it_says_the_defaults(tmp_path):
    names = {key.name for key in keys()}
    text = "\n".join(
        line.removeprefix("# ") if re.match(rf"# ({'|'.join(names)}) = ", line) else line
        for line in example().splitlines()
    )
    content = tomllib.loads(text)
    assert {(section, name) for section, values in content.items() for name in values} == {
        (key.section, key.name) for key in keys()
    }
    path = tmp_path / "kinpost.toml"
    path.write_text(text)
    assert load({}, path) == Settings()


def test_every_key_is_explained_with_its_variable():
    text = " ".join(example().replace("\n# ", " ").split())
    for key in keys():
        assert key.field.description, key
        assert f"{' '.join(key.field.description.split())}. {key.variable}" in text
