"""Hosting pydantic-ai's loop: model requests are turns of a run, tool calls go through the service."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from kinpost_client import Run
from pydantic_ai import Agent, AgentRun, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema
from pydantic_graph import End

from kinpost_demo.brains import BRAINS, shown

Report = Callable[..., None]
# The service judges the arguments: a model shall read its answer, not the framework's.
UNJUDGED = SchemaValidator(core_schema.any_schema())
RULES: dict[str, dict[str, Any]] = {
    "lead": {"child": "allow"},
    "scout": {"parent": "allow", "sibling": "allow"},
    "scribe": {"sibling": "allow"},
}
INSTRUCTIONS = {
    "lead": "You lead a survey. Delegate it, and pass on what your user wants.",
    "scout": "You survey places, and tell whoever shall know what you find.",
    "scribe": "You keep the record of what you are told.",
}


@dataclass
class Work:
    """What an agent's tools work with: the run, and whom to tell of it."""

    run: Run
    agent: str
    report: Report
    survey: Callable[[str], Awaitable[str]]

    def tell(self, kind: str, **facts: Any) -> None:
        """Report something of this run."""
        turn = self.run.turn.number if self.run.turn is not None else 0
        self.report(kind, agent=self.agent, session_id=self.run.session_id, run=self.run.number, turn=turn, **facts)


class PostOffice(AbstractToolset[Work]):
    """The tools that the service offers a session's model, built from their JSON Schemas."""

    @property
    def id(self) -> str:
        """Its name among an agent's toolsets."""
        return "kinpost"

    async def get_tools(self, ctx: RunContext[Work]) -> dict[str, ToolsetTool[Work]]:
        """Return what the session's rules let its model see."""
        return {
            tool.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
                ),
                max_retries=0,
                args_validator=UNJUDGED,
            )
            for tool in await ctx.deps.run.list_tools()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Work], tool: ToolsetTool[Work]
    ) -> str:
        """Carry out a call; what is refused is a result that the model reads."""
        assert ctx.tool_call_id is not None
        result = await ctx.deps.run.call_tool(name, tool_args, tool_call_id=ctx.tool_call_id)
        ctx.deps.tell("result", tool=name, text=result.text, code=result.code, structured=dict(result.structured))
        return result.text


async def delegate(ctx: RunContext[Work], agent: str, task: str) -> str:
    """Hand a task to an agent of this name; it works by itself and writes when it has something to say."""
    child = await ctx.deps.run.delegate(
        agent, first_message=task, description=task, message_rules=RULES[agent], starter="wake"
    )
    ctx.deps.tell("delegated", child=child.handle, child_session_id=child.session_id, child_agent=agent)
    return f"{child.handle} has begun."


async def survey(ctx: RunContext[Work], place: str) -> str:
    """Search a place. It takes as long as it takes."""
    ctx.deps.tell("surveying", place=place)
    return await ctx.deps.survey(place)


OWN_TOOLS: dict[str, list[Callable[..., Awaitable[str]]]] = {"lead": [delegate], "scout": [survey], "scribe": []}


@dataclass
class Host:
    """Runs sessions of its agents, and keeps their conversations."""

    report: Report
    survey: Callable[[str], Awaitable[str]]
    conversations: dict[str, list[ModelMessage]] = field(default_factory=dict)

    async def __call__(self, run: Run) -> None:
        """Run one run: each turn is one model request, with the mail that came until then."""
        name = run.offer.agent if run.offer is not None else ""
        work = Work(run, name, self.report, self.survey)
        agent = Agent(
            FunctionModel(self._model(work)),
            instructions=INSTRUCTIONS[name],
            deps_type=Work,
            toolsets=[PostOffice(), FunctionToolset[Work](OWN_TOOLS[name])],
        )
        async with AsyncExitStack() as exchange:
            loop: AgentRun[Work, str] | None = None
            async for turn in run.turns():
                if loop is None:
                    history = self.conversations.get(run.session_id)
                    loop = await exchange.enter_async_context(agent.iter(message_history=history, deps=work))
                    await _step(loop)  # an empty prompt, since the mail is the prompt
                request = loop.next_node
                assert Agent.is_model_request_node(request)
                request.request.parts = [*request.request.parts, *(UserPromptPart(mail.text) for mail in turn.mail)]
                await _step(loop)  # the model is asked
                turn.keep()
                await _step(loop)  # its tools are called
                if Agent.is_model_request_node(loop.next_node):
                    turn.more()
                else:
                    self.conversations[run.session_id] = loop.all_messages()
                    await exchange.aclose()
                    loop = None

    def _model(self, work: Work) -> Callable[[list[ModelMessage], AgentInfo], Awaitable[ModelResponse]]:
        """Return the agent's model: its brain, told of as it is asked and answers."""

        async def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            work.tell("request", texts=_newest(messages), tools=[tool.name for tool in info.function_tools])
            answer = BRAINS[work.agent](messages)
            for part in answer.parts:
                if isinstance(part, TextPart):
                    work.tell("says", text=part.content)
                elif isinstance(part, ToolCallPart):
                    work.tell("calls", tool=part.tool_name, arguments=json.loads(part.args_as_json_str()))
            return answer

        return ask


async def _step(loop: AgentRun[Work, str]) -> None:
    """Let the framework take its next step."""
    node = loop.next_node
    assert not isinstance(node, End)
    await loop.next(node)


def _newest(messages: Sequence[ModelMessage]) -> list[str]:
    """Return what the last request puts before the model, beyond the earlier ones."""
    last = messages[-1]
    return [text for part in last.parts if (text := shown(part))]
