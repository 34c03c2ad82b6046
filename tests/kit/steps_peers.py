"""The state machine's steps of peer mail: any session to any session, and what becomes of what cannot be delivered."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from kinpost_server.domain import event as e
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.message import Owner
from kinpost_server.domain.peer import Delivery, Letter, Route
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.redeliver_dead_letter import RedeliverDeadLetter
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.send_peer_message import BroadcastPeerMessage, SendPeerMessage
from kinpost_server.engine.tokens import CreateToken, RevokeToken
from office import ADMIN
from peer_model import Call, Outcome, PeerBook, Wish, dormancy
from steps_producers import ProducerSteps
from steps_sessions import LIMITS

NOBODY = "00000000-0000-4000-8000-000000000000"
NOTES = {e.PeerMessageSent: "sent", e.PeerDeadLetterRecorded: "dead", e.PeerDeadLetterRedelivered: "redelivered"}
TEXTS = st.sampled_from(["p", "p", "p" * 30, "p" * 1001])
TLDRS = st.sampled_from([None, "s"])
KEYS = st.sampled_from(["", "", "a", "b"])
ROUTES = st.sampled_from([Route.MESSAGE, Route.MESSAGE, Route.FOLLOW_UP, Route.QUEUE])
WISHES = st.builds(
    Wish, TEXTS, TLDRS, confirms=st.booleans(), interrupts=st.booleans(), reopens=st.booleans(), parks=st.booleans()
)


class PeerSteps(ProducerSteps):
    """What sessions write past all trees, by two tokens: an admin's, and a peer's for the first sessions."""

    peers: PeerBook
    writers: dict[str, Caller]

    @initialize()
    def open_the_second_door(self) -> None:
        """There are two tokens."""
        self.peers = PeerBook(self.tree, LIMITS.peer_calls_max, LIMITS.peer_window_seconds, LIMITS.peer_replay_seconds)
        self.writers = {}
        self._make_token(TokenKind.ADMIN, ())

    def _make_token(self, kind: TokenKind, session_ids: tuple[str, ...]) -> None:
        token_id = self.office.new_id()
        self.office.do(CreateToken(ADMIN, token_id, kind, session_ids=session_ids))
        self.writers[token_id] = Caller(token_id, kind, frozenset(session_ids))
        self.peers.tokens[token_id] = frozenset(session_ids) if kind is TokenKind.PEER else None

    @precondition(lambda self: len(self.writers) < 2)
    @rule()
    def make_token(self) -> None:
        """Somebody makes a peer's token for the sessions that there are."""
        alive = tuple(agent.session_id for agent in self.tree.agents.values() if not agent.deleted)
        if alive:
            self._make_token(TokenKind.PEER, alive[:3])

    @precondition(lambda self: len(self.writers) == 2 and self.peers.parked)
    @rule(sure=st.integers(0, 3))
    def revoke_token(self, sure: int) -> None:
        """The peer's token holds no more; what it has parked does not wait for ever."""
        if sure:
            return
        _, token_id = self.writers
        self.office.do(RevokeToken(ADMIN, token_id))
        del self.writers[token_id]
        self.peers.revoked.add(token_id)

    # Sending

    @rule(data=st.data(), letters=st.lists(st.tuples(WISHES, KEYS, ROUTES), min_size=1, max_size=3))
    def write(self, data: st.DataObject, letters: list[tuple[Wish, str, Route]]) -> None:
        """Sessions write to any, themselves too, or to nobody; perhaps under a key that was used before."""
        for wish, key, route in letters:
            call, post = self._call(data, wish, key, route, (self._target(data),))
            expected = self._expected([call])
            self._compare(expected, self.office.together(SendPeerMessage(post)))

    @rule(data=st.data(), wish=WISHES, key=KEYS, count=st.integers(1, 3))
    def broadcast(self, data: st.DataObject, wish: Wish, key: str, count: int) -> None:
        """A session writes the same to some."""
        targets = tuple(dict.fromkeys(self._target(data) for _ in range(count)))
        call, post = self._call(data, wish, key, Route.BROADCAST, targets)
        expected = self._expected([call])
        self._compare(expected, self.office.together(BroadcastPeerMessage(post)))

    @rule(data=st.data(), first=WISHES, second=WISHES, key=KEYS, again=st.booleans())
    def write_at_once(self, data: st.DataObject, first: Wish, second: Wish, key: str, again: bool) -> None:
        """Two messages meet in one commit, the first to end a run if there is one; or the same one, again."""
        target = (self.running(data).session_id if self.any_running else self._target(data),)
        first = Wish("p", confirms=True, interrupts=True, parks=first.parks)
        calls = [self._call(data, first, key, Route.MESSAGE, target)]
        calls.append(calls[0] if again else self._call(data, second, "", Route.MESSAGE, target))
        expected = self._expected([call for call, _ in calls])
        self._compare(expected, self.office.together(*(SendPeerMessage(post) for _, post in calls)))

    def _call(
        self, data: st.DataObject, wish: Wish, key: str, route: Route, targets: tuple[str, ...]
    ) -> tuple[Call, Post]:
        caller = self.writers[data.draw(st.sampled_from(sorted(self.writers)))]
        source = self.agent(data).session_id
        if route is not Route.MESSAGE:
            wish = Wish(wish.text, wish.tldr, wish.confirms and route is not Route.QUEUE)
        letter = Letter(
            wish.text,
            wish.tldr,
            confirm_inactive_target=wish.confirms,
            confirm_interrupt_turn=wish.interrupts,
            allow_reopen_user_closed=wish.reopens,
            queue_if_limited=wish.parks,
        )
        call = Call(caller.token_id, route.value, source, targets, wish, key)
        return call, Post(caller, route, source, targets, letter, key)

    def _expected(self, calls: list[Call]) -> list[str | list[Outcome]]:
        self.peers.landing.clear()
        self.peers.in_flight.clear()
        return [self.peers.post(call, self.office.time) for call in calls]

    def _compare(self, expected: list[str | list[Outcome]], answers: list[Any]) -> None:
        for wanted, answer in zip(expected, answers, strict=True):
            if isinstance(wanted, str):
                assert isinstance(answer, Refusal), wanted
                assert answer.code.partition(":")[2] == wanted
            elif isinstance(answer, list):
                assert [result.session_id for result in answer] == [one.target for one in wanted]
                for one, result in zip(wanted, answer, strict=True):
                    assert result.error == one.error
                    self._check_outcome(one, result.delivery)
            else:
                (one,) = wanted
                refused = isinstance(answer, Refusal)
                assert (answer.code.partition(":")[2] if refused else "") == one.error
                self._check_outcome(one, None if refused else answer)
        self.learn_reports()

    def _check_outcome(self, wanted: Outcome, got: Delivery | None) -> None:
        if wanted.error:
            assert got is None
            return
        assert got is not None
        told = (got.delivered, got.queued, got.woken_from, got.idempotent)
        assert told == (wanted.delivered, wanted.queued, wanted.woken_from, wanted.idempotent)
        if wanted.mail is None:
            assert got.message_id == ""
            return
        if not wanted.idempotent and not wanted.mail.message_id:
            wanted.mail.message_id = got.message_id
        assert got.message_id == wanted.mail.message_id

    def _target(self, data: st.DataObject) -> str:
        """Return any session, or nobody; more often one that sleeps, is closed, or is gone."""
        agents = self.tree.agents.values()
        odd = sorted(a.session_id for a in agents if a.deleted or a.availability != "OPEN" or dormancy(a))
        if odd and data.draw(st.booleans()):
            return data.draw(st.sampled_from(odd))
        return data.draw(st.sampled_from([*sorted(self.tree.agents), NOBODY]))

    @precondition(lambda self: any(mail.owner == "PEER" for agent in self.tree.agents.values() for mail in agent.mail))
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        """A sender takes a peer message back, as it could any other."""
        mails = [mail for agent in self.tree.agents.values() for mail in agent.mail if mail.owner == "PEER"]
        mail = data.draw(st.sampled_from(mails))
        got = self.code(RetractMessage(ADMIN, mail.sender or "", mail.message_id))
        if self.tree.agents[mail.sender or ""].deleted:
            assert got == "session:not_found"
        elif mail.state in ("claimed", "consumed"):
            assert got == "message:claimed"
        elif mail.state == "waiting":
            self.tree.discard(mail, "RETRACTED")

    # What waits, and what is dead

    def parked_turns(self) -> None:
        """Take over what came of the messages that waited for a slot, in the order of their turns."""
        new: dict[str, list[str]] = {}
        for agent in self.tree.agents.values():
            known = {mail.message_id for mail in agent.mail}
            mail = self.office.session(agent.session_id).mail.values()
            new[agent.session_id] = [m.message_id for m in mail if m.owner is Owner.PEER and m.message_id not in known]
        self.peers.landing.clear()
        self.peers.in_flight.clear()
        for parked in self.peers.due(self.office.time):
            outcome = self.peers.turn(parked, self.office.time)
            if outcome is not None and outcome.mail is not None:
                outcome.mail.message_id = new[outcome.target].pop(0)
            self.learn_reports()
        assert not any(new.values())

    @precondition(lambda self: self.peers.dead)
    @rule(data=st.data())
    def deliver_again(self, data: st.DataObject) -> None:
        """Somebody sends a dead letter again, twice at once."""
        number = data.draw(st.integers(0, len(self.peers.dead) - 1))
        letter = self.peers.dead[number]
        stored = self.office.reader.peer.dead_letters(None, "", 1000)[::-1][number]
        token_id = data.draw(st.sampled_from(sorted(self.writers)))
        command = RedeliverDeadLetter(self.writers[token_id], stored.dead_letter_id)
        self.peers.landing.clear()
        wanted = [self.peers.redeliver(letter, token_id, self.office.time) for _ in range(2)]
        for one, answer in zip(wanted, self.office.together(command, command), strict=True):
            if isinstance(one, str):
                assert isinstance(answer, Refusal), one
                assert answer.code.partition(":")[2] in (one, "not_found")
            else:
                self._check_outcome(one, answer)

    @rule()
    def what_is_old_is_forgotten(self) -> None:
        """First answers that are not replayed any more are deleted; nobody can tell."""
        self.office.upkeep.expire_peer_records()

    # What must hold

    @invariant()
    def peer_mail_is_what_the_model_says(self) -> None:
        """No letter is lost or told twice, no slot is forgotten, and each sender's log and list tell of its own."""
        reader, now = self.office.reader.peer, self.office.time
        letters = reader.dead_letters(None, "", 1000)[::-1]
        assert [
            (one.source_session_id, one.target_session_id, one.text, one.tldr, one.reason.name.lower())
            for one in letters
        ] == [(one.source, one.target, one.text, one.tldr, one.reason) for one in self.peers.dead]
        assert [one.redeliver_time is not None for one in letters] == [
            one.became is not None for one in self.peers.dead
        ]
        for session_id in self.tree.agents:
            notes = [NOTES[type(ev.payload)] for ev in self.office.events(session_id) if type(ev.payload) in NOTES]
            assert notes == self.peers.notes.get(session_id, [])
            kept = [mail.message_id for mail in self.peers.kept if mail.sender == session_id]
            assert [one.body_id for one in reader.sent(session_id, 1000)][::-1] == kept
        self.office.store.begin()
        windows = self.office.store.peer.load_windows(self.peers.tokens)
        due = self.office.store.peer.due_parked(1 << 62, 1000)
        self.office.store.rollback()
        assert len(due) == len(self.peers.parked)
        for token_id in self.peers.tokens:
            window = windows.get(token_id)
            since = now - int(self.peers.window_seconds * 1_000_000)
            times = [time for time in window.call_times if time > since] if window is not None else []
            assert times == self.peers.window(token_id, now)
            assert (window.parked_count if window is not None else 0) == self.peers.waiting(token_id)
            assert len(times) <= self.peers.calls_max
