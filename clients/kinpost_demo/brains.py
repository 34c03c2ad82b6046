"""How the three agents decide: functions from a conversation to a reply, in a language model's place.

They see what a model would see and nothing else: frames of mail, results of tools. What they know of each other, such
as handles, they have read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from kinpost_demo.story import ASK, BEGIN, GUESS, NOBODY, RECORD, SURVEYED

Brain = Callable[[Sequence[ModelMessage]], ModelResponse]

FRAME = re.compile(
    r'<(?:agent|delegation)_message\w* from="(?P<from>[^"]+)">\n(?P<body>.*?)(?:\n\n\[use .*?\])?\n</', re.DOTALL
)
HANDLE = re.compile(r"\b[a-z0-9-]+_[0-9a-f]{8}\b")


def shown(part: ModelRequestPart | ModelResponsePart) -> str:
    """Return what a part of a request puts before the model; instructions are not counted."""
    if isinstance(part, UserPromptPart) and isinstance(part.content, str):
        return part.content
    if isinstance(part, ToolReturnPart):
        return f"{part.tool_name} → {part.model_response_str()}"
    return ""


def lead(conversation: Sequence[ModelMessage]) -> ModelResponse:
    """Delegate what the user wants done, pass on what the user says, and take note of what comes back."""
    *_, newest = _requests(conversation)
    results = [part for part in newest.parts if isinstance(part, ToolReturnPart)]
    if results and results[-1].tool_name == "delegate" and _handle_of(conversation, "scout") is None:
        scribe = _handle_of(conversation, "scribe")
        return _calls(("delegate", {"agent": "scout", "task": f"Survey the archive. Tell {scribe} and me."}))
    if results:
        return _says("Done.")
    for text in _prompts(newest):
        if text == BEGIN:
            return _calls(("delegate", {"agent": "scribe", "task": "Keep the record of what the scout finds."}))
        order = re.match(r"(Tell|Queue for) the (\w+): (.*)", text, re.DOTALL)
        if order is not None:
            verb, agent, body = order.groups()
            mode = "steer" if verb == "Tell" else "queue"
            to = _handle_of(conversation, agent) or agent
            return _calls(("send_message", {"to": to, "body": body, "mode": mode}))
    heard = [frame["from"] for frame in FRAME.finditer("\n".join(_prompts(newest)))]
    return _says(f"Noted, from {', '.join(heard)}." if heard else "Nothing to do.")


def scout(conversation: Sequence[ModelMessage]) -> ModelResponse:
    """Survey what is asked for, which takes a while, and report once to whoever shall know."""
    requests = list(_requests(conversation))
    newest = requests[-1]
    task = re.search(r"urvey the (\w+)", "\n".join(_prompts(newest)))
    if task is not None and task[1] != "tower":
        return _calls(("survey", {"place": task[1]}))
    surveyed = [part for part in newest.parts if isinstance(part, ToolReturnPart) and part.tool_name == "survey"]
    if surveyed and "archive" in str(surveyed[0].content):
        order = next(FRAME.finditer("\n".join(_prompts(requests[0]))))
        scribe = HANDLE.search(order["body"])
        found = str(surveyed[0].content)
        return _calls(
            ("send_message", {"to": scribe.group() if scribe else "scribe", "body": f"{RECORD}{found}"}),
            ("send_message", {"to": order["from"], "body": f"{SURVEYED}{found}"}),
        )
    return _says("Surveyed." if surveyed or task else "Reported.")


def scribe(conversation: Sequence[ModelMessage]) -> ModelResponse:
    """Keep the record; at first ask whom it should not, and guess a handle, as models do."""
    *_, newest = _requests(conversation)
    refused = [str(part.content) for part in newest.parts if isinstance(part, ToolReturnPart)]
    frames = [frame for text in _prompts(newest) for frame in FRAME.finditer(text)]
    if any(text.startswith("permission:denied") for text in refused):
        return _calls(("send_message", {"to": NOBODY, "body": GUESS}))
    if any(text.startswith("unknown subagent reference") for text in refused):
        return _says("I wait for the scout to write.")
    if frames and "Keep the record" in frames[0]["body"]:
        return _calls(("send_message", {"to": frames[0]["from"], "body": ASK}))
    return _says(f"Recorded, from {', '.join(frame['from'] for frame in frames)}.")


BRAINS: dict[str, Brain] = {"lead": lead, "scout": scout, "scribe": scribe}


def _requests(conversation: Sequence[ModelMessage]) -> Iterator[ModelRequest]:
    return (message for message in conversation if isinstance(message, ModelRequest))


def _prompts(request: ModelRequest) -> list[str]:
    return [shown(part) for part in request.parts if isinstance(part, UserPromptPart)]


def _handle_of(conversation: Sequence[ModelMessage], agent: str) -> str | None:
    """Return the handle that `delegate` told for an agent."""
    for request in _requests(conversation):
        for part in request.parts:
            if isinstance(part, ToolReturnPart) and part.tool_name == "delegate":
                found = re.search(rf"\b{agent}_[0-9a-f]{{8}}\b", str(part.content))
                if found is not None:
                    return found.group()
    return None


def _calls(*calls: tuple[str, dict[str, str]]) -> ModelResponse:
    """Return a reply of tool calls; their ids are the same in every turn, as those of some models are."""
    return ModelResponse(
        parts=[
            ToolCallPart(name, json.dumps(arguments), tool_call_id=f"call_{number}")
            for number, (name, arguments) in enumerate(calls)
        ]
    )


def _says(text: str) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])
