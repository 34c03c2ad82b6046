"""The tools of a session's model. Their schemas lie beside this file as JSON; the bindings carry the same text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from kinpost_server.domain.errors import InvalidArguments
from kinpost_server.domain.message import Mode
from kinpost_server.domain.permission import Decision, may_message_anyone

SEND_MESSAGE = "send_message"
REMOVED_TOOLS = frozenset({"steer_subagent"})
MODES = {"steer": Mode.STEER, "queue": Mode.QUEUE}


@dataclass(slots=True, frozen=True)
class Tool:
    """One tool as a model sees it."""

    name: str
    description: str
    parameters_json_schema: str


@dataclass(slots=True, frozen=True)
class ToolCall:
    """A model's tool call as a plugin sees it."""

    session_id: str
    root_session_id: str
    run_id: str
    tool_call_id: str
    name: str
    arguments_json: str


SEND_MESSAGE_TOOL = Tool(
    SEND_MESSAGE,
    "Send a message to another agent of your tree. It is stored before this returns, joins the recipient's work at its "
    "next step, and wakes a recipient that has finished. There is no inbox to poll: answers come to you the same way.",
    json.dumps(json.loads(files(__package__).joinpath("send_message.schema.json").read_text("utf-8"))),
)


class SendArguments(NamedTuple):
    """What a model asked `send_message` for."""

    to: str
    body: str
    mode: Mode


def visible_tools(message_rules: Mapping[str, Decision]) -> list[Tool]:
    """Return what a session's model may see: nothing that its rules could only deny."""
    return [SEND_MESSAGE_TOOL] if may_message_anyone(message_rules) else []


def parse_send_arguments(arguments_json: str) -> SendArguments:
    """Read a model's raw arguments strictly. Raises InvalidArguments, naming what is wrong."""
    arguments = _object(arguments_json)
    unknown = sorted(set(arguments) - {"to", "body", "mode"})
    if unknown:
        known = "`to`, `body` and `mode`"
        raise InvalidArguments(f"unknown argument {_shown(unknown[0])}; the arguments are {known}")
    to = _text(arguments, "to")
    if not to or len(to.encode("utf-8", "replace")) > 256:
        raise InvalidArguments("`to` must be a handle or a session id, of 1 to 256 bytes")
    mode = arguments.get("mode", "steer")
    if not isinstance(mode, str) or mode not in MODES:
        raise InvalidArguments("`mode` must be `steer` or `queue`")
    return SendArguments(to, _text(arguments, "body"), MODES[mode])


def _object(arguments_json: str) -> dict[str, object]:
    try:
        value = json.loads(arguments_json, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        raise InvalidArguments(f"the arguments are not a JSON object: {str(fault)[:100]}") from None
    if not isinstance(value, dict):
        raise InvalidArguments("the arguments are not a JSON object")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name stands twice")
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _text(arguments: Mapping[str, object], name: str) -> str:
    if name not in arguments:
        raise InvalidArguments(f"`{name}` is missing")
    value = arguments[name]
    if not isinstance(value, str):
        raise InvalidArguments(f"`{name}` must be a string")
    return value


def _shown(name: str) -> str:
    return f"`{name[:64]}`" if name.isprintable() else "with unprintable characters"
