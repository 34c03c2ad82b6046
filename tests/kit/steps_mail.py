"""The state machine's steps that send mail and take it back."""

from __future__ import annotations

import hypothesis.strategies as st
from delivery import Mail
from hypothesis.stateful import precondition, rule
from kinpost_server.domain.message import Mode
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_user_message import SendUserMessage
from kinpost_server.engine.settings import SECOND
from office import ADMIN
from steps_sessions import MODES, TreeSteps


class MailSteps(TreeSteps):
    """What agents and people write."""

    @precondition(lambda self: self.any_free)
    @rule(
        data=st.data(),
        mode=MODES,
        size=st.sampled_from([1, 20, 64]),
        expire_seconds=st.sampled_from([0, 0, 2]),
        replace=st.booleans(),
    )
    def send(self, data: st.DataObject, mode: Mode, size: int, expire_seconds: int, replace: bool) -> None:
        """An agent writes to any session, perhaps in place of an earlier message."""
        sender, recipient = self.free(data), self.agent(data)
        assert sender.run is not None
        mine = [
            mail
            for mail in recipient.pending
            if mail.owner == "AGENT" and mail.sender == sender.session_id and not mail.replaced
        ]
        replaced = mine[0] if replace and mine else None
        command = SendMessage(
            self.caller_of(sender),
            sender.session_id,
            sender.run.run_id,
            self.next("call"),
            recipient.session_id,
            "x" * size,
            mode,
            expire_seconds * SECOND,
            replaced.message_id if replaced is not None else "",
        )
        freed = 1 if replaced is not None and replaced.state == "waiting" else 0
        expected = self.tree.judge_address(sender.session_id, sender.run.run_id, recipient.session_id)
        expected = expected or self.tree.judge_guards(sender.session_id, recipient.session_id, freed)
        state = recipient.recipient_state
        got = self.code(command)
        if expected:
            assert got == expected
            return
        assert (got.mode, got.recipient_state.name, got.replayed) == (mode, state, False)
        if replaced is not None:
            if replaced.state == "waiting":
                self.tree.discard(replaced, "SUPERSEDED")
            else:
                replaced.replaced = True
        expire = self.office.time + expire_seconds * SECOND if expire_seconds else None
        hop = sender.run.hop + 1
        mail = Mail(got.message_id, recipient.session_id, sender.session_id, mode.name, size, hop, expire)
        mail.replaces = replaced.message_id if replaced is not None else ""
        self.tree.accept(mail)
        self.sent.append((command, got.message_id))

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), other=st.booleans())
    def send_again(self, data: st.DataObject, other: bool) -> None:
        """A repeated call returns the first id, whatever is true now; with other content it is a conflict."""
        command, message_id = data.draw(st.sampled_from(self.sent))
        body = "other" if other else command.body
        again = SendMessage(
            command.caller, command.session_id, command.run_id, command.tool_call_id, command.to, body, command.mode
        )
        got = self.code(again)
        if self.tree.agents[command.session_id].deleted:
            assert got == "session:not_found"
        elif other:
            assert got == "idempotency:conflict"
        else:
            assert (got.message_id, got.replayed) == (message_id, True)

    @rule(data=st.data(), mode=MODES, size=st.sampled_from([1, 30]))
    def user_writes(self, data: st.DataObject, mode: Mode, size: int) -> None:
        """A person writes to a session."""
        agent = self.agent(data)
        got = self.code(SendUserMessage(ADMIN, agent.session_id, self.next("user"), "u" * size, mode))
        expected = "session:not_found" if agent.deleted else self.tree.judge_other(agent)
        if expected:
            assert got == expected
            return
        self.tree.accept(Mail(got.message_id, agent.session_id, None, mode.name, size, None, None, owner="USER"))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def retract(self, data: st.DataObject) -> None:
        """A sender takes a message back."""
        command, message_id = data.draw(st.sampled_from(self.sent))
        got = self.code(RetractMessage(command.caller, command.session_id, message_id))
        if self.tree.agents[command.session_id].deleted:
            assert got == "session:not_found"
            return
        mail = self.mail(message_id)
        if mail.state in ("claimed", "consumed"):
            assert got == "message:claimed"
        elif mail.state == "waiting":
            self.tree.discard(mail, "RETRACTED")

    def mail(self, message_id: str) -> Mail:
        """Return a message of the model."""
        return next(m for agent in self.tree.agents.values() for m in agent.mail if m.message_id == message_id)
