"""SendMessage: one agent writes to another of its tree."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.address import candidate_list, parse_uuid
from kinpost_server.domain.approval import (
    Approval,
    ApprovalState,
    GrantKey,
    PendingApproval,
    SendRequest,
    grant_of,
)
from kinpost_server.domain.body import check_body, content_digest
from kinpost_server.domain.errors import (
    EngineShutdown,
    IdempotencyConflict,
    InvalidBody,
    MessageNotFound,
    MessagingDisabled,
    NotTreePeer,
    PermissionDenied,
    SelfSend,
    UnknownReference,
    UnknownSession,
)
from kinpost_server.domain.guards import check_hops, check_inbox, check_pair
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance, DiscardReason, Message, Mode, Owner, Sender
from kinpost_server.domain.permission import Decision, Relationship, decide, relationship
from kinpost_server.domain.run import Run
from kinpost_server.domain.session import Session
from kinpost_server.domain.tools import SEND_MESSAGE, ToolCall
from kinpost_server.engine import acceptance, approvals, turns
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import GatedCommand, GateNeeded
from kinpost_server.engine.ports import HandleKey, ReplayKey
from kinpost_server.engine.view import View


class Addressed(NamedTuple):
    """A send up to its permission: who runs, to whom, and whether the rules ask a person first."""

    sender: Session
    run: Run
    recipient: Session
    asks: bool


class Passed(NamedTuple):
    """A send that passed every check."""

    sender: Session
    run: Run
    recipient: Session
    replaced: Message | None
    hop: int


@dataclass(slots=True)
class SendMessage(GatedCommand[Acceptance | PendingApproval]):
    """Judge a send in the stated order of checks and store it. `expire_after` is in microseconds, 0 for never.

    The steps are apart because an approval's answer takes the same ones: `address`, `pass_guards`, `accept`.
    """

    caller: Caller
    session_id: str
    run_id: str
    tool_call_id: str
    to: str
    body: str
    mode: Mode
    expire_after: int = 0
    supersedes_message_id: str = ""

    _passed: bool = field(default=False, init=False)
    _key: ReplayKey = field(init=False)
    _to_session_id: str | None = field(init=False)
    _digest: bytes = field(init=False)

    at_shutdown = EngineShutdown

    def __post_init__(self) -> None:
        self._key = ReplayKey(self.session_id, self.run_id, self.tool_call_id)
        self._to_session_id = parse_uuid(self.to)  # None: it is a handle
        self._digest = content_digest(self.to, self.body, self.mode.name)

    def let_pass(self) -> None:
        self._passed = True

    def load(self, view: View) -> None:
        view.want_replay(self._key)
        if self._to_session_id is not None:
            view.want_session(self._to_session_id)
        sender = view.want_session(self.session_id)
        if sender is None:
            return
        turns.want_run(view, sender, self.run_id)
        approvals.want(view, sender, self.run_id, self.tool_call_id)
        recipient = self._want_recipient(view, sender)
        if recipient is not None and Decision.ASK in sender.message_rules.values():
            self._load_grant(view, sender, recipient)

    def _want_recipient(self, view: View, sender: Session) -> Session | None:
        if self._to_session_id is not None:
            return view.want_session(self._to_session_id)
        key = HandleKey(sender.root_session_id, self.to)
        recipient_id = view.want_handle(key)
        recipient = view.want_session(recipient_id) if recipient_id is not None else None
        if view.handle_is_free(key) or (recipient is not None and recipient.deleted):
            view.want_peers(sender)
        return recipient

    def _load_grant(self, view: View, sender: Session, recipient: Session) -> None:
        if decide(sender.message_rules, _relationship(sender, recipient)) is Decision.ASK:
            view.want_grant(self._grant(recipient))

    def decide(self, view: View) -> Acceptance | PendingApproval:
        sender = own_session(view, self.caller, self.session_id)
        turns.renew_named(view, self.caller, sender, self.run_id)
        approval = None
        if not turns.is_anothers(view, self.caller, sender, self.run_id):
            earlier = acceptance.replayed(view, self._key, self._digest, "tool call")
            if earlier is not None:
                return earlier
            approval = approvals.of_call(view, sender, self.run_id, self.tool_call_id)
        if approval is not None:
            if approval.request_digest != self._digest:
                raise IdempotencyConflict("this tool call asked for another message before")
            approvals.check_open(approval, view.now)
        elif not self._passed and view.settings.messaging.enabled and view.is_gated(SEND_MESSAGE):
            raise GateNeeded(self._call(sender))
        addressed = self.address(view, sender)
        if addressed.asks and not self._is_allowed(view, addressed, approval):
            if approval is not None:
                return approvals.pending_answer(approval)
            return approvals.ask(view, sender, addressed.run, self.tool_call_id, addressed.recipient, self._request)
        return self.accept(view, self.pass_guards(view, addressed), approval)

    def _call(self, sender: Session) -> ToolCall:
        """Return the send as the tool call that it is, whichever way it came."""
        arguments = {"to": self.to, "body": self.body, "mode": self.mode.name.lower()}
        return ToolCall(
            sender.session_id,
            sender.root_session_id,
            self.run_id,
            self.tool_call_id,
            SEND_MESSAGE,
            json.dumps(arguments, ensure_ascii=False),
        )

    def address(self, view: View, sender: Session) -> Addressed:
        """Judge the send up to the permission; raises what is against it."""
        limits = view.settings.messaging
        if not limits.enabled:
            raise MessagingDisabled
        fault = check_body(self.body, limits.max_body_bytes)
        if fault is not None:
            raise InvalidBody(fault)
        run = turns.named_run(view, self.caller, sender, self.run_id)
        recipient = self._recipient(view, sender)
        if recipient.session_id == sender.session_id:
            raise SelfSend
        if recipient.root_session_id != sender.root_session_id:
            raise NotTreePeer
        return Addressed(sender, run, recipient, self._asks(sender, recipient))

    def pass_guards(self, view: View, addressed: Addressed) -> Passed:
        """Judge the rest, in one step with acceptance; raises the guard that is against it."""
        limits = view.settings.messaging
        sender, run, recipient, _ = addressed
        replaced = self._replaced(recipient)
        freed = 1 if replaced is not None and replaced.waiting else 0
        check_inbox(recipient, limits, freed)
        check_pair(recipient, sender.session_id, limits, freed)
        hop = run.hop + 1
        check_hops(hop, limits)
        return Passed(sender, run, recipient, replaced, hop)

    def _recipient(self, view: View, sender: Session) -> Session:
        session_id = self._to_session_id
        if session_id is not None:
            recipient = view.session(session_id)
            if recipient is None or recipient.deleted:
                raise UnknownSession(f"no session has the id {session_id}")
            return recipient
        session_id = view.handle(HandleKey(sender.root_session_id, self.to))
        recipient = view.session(session_id) if session_id is not None else None
        if recipient is None or recipient.deleted:
            raise self._unknown_reference(view, sender)
        return recipient

    def _unknown_reference(self, view: View, sender: Session) -> UnknownReference:
        peers = view.peers(sender)
        listed = partial(candidate_list, self.to, peers.nearest, peers.total)
        return UnknownReference(listed(), shorten=listed)

    def _asks(self, sender: Session, recipient: Session) -> bool:
        """Whether the rules ask a person first. Raises PermissionDenied."""
        label = _relationship(sender, recipient)
        decision = decide(sender.message_rules, label)
        if decision is Decision.DENY:
            relation = "another peer" if label == "*" else f"a {label}"
            raise PermissionDenied(f"the message rules of {sender.agent} do not let it write to {relation}")
        return decision is Decision.ASK

    def _is_allowed(self, view: View, addressed: Addressed, approval: Approval | None) -> bool:
        if approval is not None and approval.state is ApprovalState.ALLOWED:
            return True
        return view.granted(self._grant(addressed.recipient))

    def _grant(self, recipient: Session) -> GrantKey:
        """Return the grant that would serve the send; whether the tree is the sender's is judged before."""
        return grant_of(recipient.root_session_id, recipient.session_id, self._request)

    @property
    def _request(self) -> SendRequest:
        return SendRequest(self.to, self.body, self.mode, self.expire_after, self.supersedes_message_id)

    def _replaced(self, recipient: Session) -> Message | None:
        if not self.supersedes_message_id:
            return None
        message = recipient.mail.get(self.supersedes_message_id)
        if message is not None and message.sent_by == self.session_id and message.owner is Owner.AGENT:
            return message
        raise MessageNotFound("supersedes_message_id: no pending message of yours to this recipient")

    def accept(self, view: View, passed: Passed, approval: Approval | None) -> Acceptance:
        """Store the message; an approval that led to it is used."""
        sender, run, recipient, replaced, hop = passed
        message_id = view.new_id()
        state = recipient.recipient_state
        if replaced is not None and replaced.waiting:
            turns.discard(view, recipient, replaced, DiscardReason.SUPERSEDED, e.Origin.AGENT, superseded_by=message_id)
            replaced = None
        accepted = acceptance.accept(
            view,
            recipient,
            e.MessageAccepted(
                message_id=message_id,
                owner=Owner.AGENT,
                mode=self.mode,
                body=self.body,
                sender=Sender(sender.session_id, sender.handle, run.run_id, self.tool_call_id),
                recipient_state=state,
                to=self.to,
                request_digest=self._digest,
                agent_hop=hop,
                expire_time=view.now + self.expire_after if self.expire_after else None,
                supersedes_message_id=self.supersedes_message_id or None,
            ),
            e.Origin.AGENT,
            self._key,
        )
        if approval is not None:
            approvals.use(view, sender, approval, message_id)
        return accepted


def _relationship(sender: Session, recipient: Session) -> Relationship:
    return relationship(sender.session_id, sender.parent_session_id, recipient.session_id, recipient.parent_session_id)
