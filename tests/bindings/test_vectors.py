"""Every binding reads and writes the shared vectors alike; where one differs, the README says so."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from contract.vectors import EVERY_PLANE, greatest_body, write_vectors
from google.protobuf import descriptor_pool, json_format, message_factory

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/bindings/vectors"


def contract_messages():
    """The descriptors of every message type of the official binding, by full name."""
    found = {}
    for path in sorted((ROOT / "bindings/python/kinpost/v1").glob("*_pb2.py")):
        module = importlib.import_module(f"kinpost.v1.{path.stem}")
        found.update({kind.full_name: kind for kind in module.DESCRIPTOR.message_types_by_name.values()})
    return found


MESSAGES = contract_messages()


def test_there_are_vectors_for_every_message_type_arm_and_optional_field(vectors):
    cases = {(vector["message"], vector["case"]) for vector in vectors}
    assert len(cases) == len(vectors)
    assert {message for message, _ in cases} == set(MESSAGES)
    for name, kind in MESSAGES.items():
        assert (name, "empty") in cases
        for field in kind.fields:
            if field.has_presence:
                assert (name, f"{field.name}: present at its default") in cases
            if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
                assert (name, f"{field.name}: chosen") in cases
            if field.is_repeated:
                assert (name, f"{field.name}: three") in cases


def test_the_extremes_are_among_them(vectors):
    by_case = {(vector["message"], vector["case"]): vector["json"] for vector in vectors}
    event = {case: json_ for (message, case), json_ in by_case.items() if message == "kinpost.v1.Event"}
    assert event["seq: highest"] == {"seq": str(2**63 - 1)}
    assert event["seq: lowest"] == {"seq": str(-(2**63))}
    assert event["event_time: before_epoch"] == {"eventTime": "1969-12-31T23:59:59.999999999Z"}
    assert event["event_time: last"] == {"eventTime": "9999-12-31T23:59:59.999999999Z"}
    body = by_case["kinpost.v1.SendMessageRequest", "body: 32 KiB"]["body"]
    assert body == greatest_body()
    assert len(body.encode()) == 32768
    assert {ord(character) >> 16 for character in body} == set(range(17))
    assert by_case["kinpost.v1.SendMessageRequest", "body: every plane of Unicode"] == {"body": EVERY_PLANE}
    assert by_case["kinpost.v1.SendMessageRequest", "empty"] == {}


def disagreements(vectors, decode, encode, to_json, from_json):
    """Gives (message, case, what) for each thing that a binding sees otherwise."""
    for vector in vectors:
        message = decode(vector["message"], bytes.fromhex(vector["hex"]))
        place = (vector["message"], vector["case"])
        if encode(message).hex() != vector["hex"]:
            yield *place, "bytes"
        if to_json(message) != vector["json"]:
            yield *place, "json"
        try:
            again = encode(from_json(vector["message"], vector["json"])).hex()
        except (TypeError, ValueError):
            again = None
        if again != vector["hex"]:
            yield *place, "bytes from json"


def official_disagreements(vectors, messages):
    return list(
        disagreements(
            vectors,
            lambda name, data: message_factory.GetMessageClass(messages[name]).FromString(data),
            lambda message: message.SerializeToString(deterministic=True),
            json_format.MessageToDict,
            lambda name, json_: json_format.ParseDict(json_, message_factory.GetMessageClass(messages[name])()),
        )
    )


def betterproto_disagreements(vectors, package):
    def kind(name):
        return getattr(package, "".join(name.split(".")[2:]))

    return list(
        disagreements(
            vectors,
            lambda name, data: kind(name).parse(data),
            bytes,
            lambda message: message.to_dict(),
            lambda name, json_: kind(name).from_dict(json_),
        )
    )


def typescript_disagreements(module: Path, folder: Path):
    command = ["node", str(Path(__file__).parent / "vectors.mjs"), str(module), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return json.loads(done.stdout)


def test_official_python_agrees(vectors):
    assert official_disagreements(vectors, MESSAGES) == []


def test_typescript_agrees(vectors):
    module = ROOT / "bindings/typescript/dist/index.js"
    assert typescript_disagreements(module, VECTORS) == {"count": len(vectors), "disagreements": []}


def test_a_disagreement_of_typescript_would_be_seen(tmp_path):
    wrong = [{"message": "kinpost.v1.WakeSettled", "case": "wrong", "json": {"wakeId": "b"}, "hex": "0a0161"}]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    found = typescript_disagreements(ROOT / "bindings/typescript/dist/index.js", tmp_path)
    assert [each["what"] for each in found["disagreements"]] == ["json", "bytes from json"]
    (tmp_path / "wrong.json").write_text(json.dumps([{**wrong[0], "hex": "0a0261"}]), encoding="utf-8")
    found = typescript_disagreements(ROOT / "bindings/typescript/dist/index.js", tmp_path)
    assert "premature EOF" in found["disagreements"][0]["got"]


# What betterproto keeps of an instant or a duration is microseconds; these are the cases that have more, or less
# than none. The README's table says so in words.
FINER_THAN_MICROSECONDS = {"nanosecond", "before_epoch", "last", "longest"}
NEGATIVE = {"negative"}


def test_betterproto_agrees_but_for_what_the_readme_says(betterproto, vectors):
    found = betterproto_disagreements(vectors, betterproto)
    differing = {(message, case) for message, case, _ in found}
    expected = {
        (vector["message"], vector["case"])
        for vector in vectors
        if vector["case"].rpartition(": ")[2] in FINER_THAN_MICROSECONDS | NEGATIVE
    }
    assert differing == expected
    assert {what for _, case, what in found if case.endswith(": nanosecond")} == {"bytes", "json", "bytes from json"}


def test_the_table_of_differences_is_in_the_readme():
    text = (ROOT / "bindings/README.md").read_text(encoding="utf-8")
    table = re.search(r"^## Where the bindings differ$.*?(^\|.*?)\n\n", text, re.MULTILINE | re.DOTALL).group(1)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert rows[0] == ["", "official Python", "betterproto", "TypeScript"]
    words = {row[0]: row[2] for row in rows[2:]}
    assert "nanoseconds are cut" in words["an instant"]
    assert "negative" in words["a duration"]


@pytest.fixture
def betterproto(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
    return importlib.import_module("kinpost_betterproto")


def test_the_vectors_are_the_same_on_every_run(tmp_path):
    """Another process with another hash seed writes the committed bytes."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from contract.checkout import Checkout, scratch_folder\n"
        "from contract.descriptors import compile_contract\n"
        "from contract.vectors import write_vectors\n"
        "with scratch_folder() as home:\n"
        "    write_vectors(compile_contract(Checkout(Path(sys.argv[2])), home), Path(sys.argv[3]))\n"
    )
    for seed in ("1", "2"):
        target = tmp_path / seed
        command = [sys.executable, "-c", code, str(ROOT / "scripts"), str(ROOT), str(target)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed})
        assert {path.name: path.read_bytes() for path in target.iterdir()} == {
            path.name: path.read_bytes() for path in VECTORS.iterdir()
        }


@pytest.fixture(scope="session")
def every_kind_vectors(every_kind, tmp_path_factory):
    """Vectors of every_kind.proto: what the contract does not use yet, maps above all."""
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(every_kind, folder)
    return folder


def read(folder: Path):
    return [vector for path in folder.iterdir() for vector in json.loads(path.read_text(encoding="utf-8"))]


def generate(plugin: str, binary: Path, options: str, target: Path):
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{Path(__file__).parent}"]
    plugins = [f"--plugin=protoc-gen-{plugin}={binary}", f"--{plugin}_out={options}:{target}", "every_kind.proto"]
    path = f"{ROOT / '.venv/bin'}:{Path(sys.executable).parent}"
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
    subprocess.run([*command, *plugins], check=True, cwd=target, env=environment, capture_output=True)


def test_every_kind_of_field_goes_through_official_python(every_kind, every_kind_vectors):
    pool = descriptor_pool.DescriptorPool()
    for file in every_kind.file:
        pool.Add(file)
    names = ("kinpost.test.EveryKind", "kinpost.test.EveryKind.Nested")
    messages = {name: pool.FindMessageTypeByName(name) for name in names}
    assert official_disagreements(read(every_kind_vectors), messages) == []


def test_every_kind_of_field_goes_through_typescript(every_kind_vectors, tmp_path):
    generate("es", ROOT / "node_modules/.bin/protoc-gen-es", "target=js", tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    found = typescript_disagreements(tmp_path / "every_kind_pb.js", every_kind_vectors)
    assert found == {"count": len(read(every_kind_vectors)), "disagreements": []}


def test_every_kind_of_field_goes_through_betterproto(every_kind_vectors, tmp_path, monkeypatch):
    (tmp_path / "every_kind_betterproto").mkdir()
    binary = Path(sys.executable).parent / "protoc-gen-python_betterproto2"
    generate("python_betterproto2", binary, "client_generation=none", tmp_path / "every_kind_betterproto")
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("every_kind_betterproto.kinpost.test")
    found = betterproto_disagreements(read(every_kind_vectors), package)
    bytes_differ = {case.rpartition(": ")[2] for _, case, what in found if what == "bytes"}
    assert bytes_differ == FINER_THAN_MICROSECONDS | NEGATIVE
    # In JSON it gets some maps wrong: those of messages by number, and those by truth value. The README says so.
    assert {case.partition(":")[0] for _, case, _ in found if case.startswith("by_")} == {"by_number", "by_truth"}
