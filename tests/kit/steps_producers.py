"""The state machine's steps of plugins: registrations that are made, lapse and end, and what is sent by them.

Also what the service itself sends: the reports of delegated runs, whose ids it alone knows.
"""

from __future__ import annotations

import hypothesis.strategies as st
from delivery import Mail, Registration
from hypothesis.stateful import precondition, rule
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Mode, Owner
from kinpost_server.engine.register_producer import RegisterProducer, RenewProducers, UnregisterProducer
from kinpost_server.engine.send_producer_message import DiscardProducerMessage, SendProducerMessage
from office import PLUGIN, PLUGIN_2
from steps_approvals import ApprovalSteps
from steps_sessions import MODES

PLUGINS = {PLUGIN.plugin_name: PLUGIN, PLUGIN_2.plugin_name: PLUGIN_2}
CALLERS = st.sampled_from([PLUGIN, PLUGIN_2])


class ProducerSteps(ApprovalSteps):
    """What plugins do."""

    @rule(data=st.data(), plugin=CALLERS, client_id=st.sampled_from(["a", "b"]))
    def register(self, data: st.DataObject, plugin: Caller, client_id: str) -> None:
        """A plugin registers, or finds that it is registered."""
        agent = self.agent(data)
        got = self.code(RegisterProducer(plugin, agent.session_id, client_id))
        if agent.deleted:
            assert got == "session:not_found"
            return
        registered = self.tree.registered(agent.session_id)
        mine = [one for one in registered if (one.plugin, one.client_id) == (plugin.plugin_name, client_id)]
        if mine:
            assert got.producer_id == mine[0].producer_id
        elif len(registered) >= self.tree.limits.producers_max:
            assert got == "producer:too_many"
        else:
            assert got.producer_id not in {one.producer_id for one in self.tree.registrations}
            self.tree.registrations.append(
                Registration(got.producer_id, agent.session_id, client_id, plugin.plugin_name)
            )

    @precondition(lambda self: self.tree.registrations)
    @rule(plugin=CALLERS)
    def renew(self, plugin: Caller) -> None:
        """A plugin renews whatever there is; what is not its own, or has ended, is left out."""
        got = self.office.do(RenewProducers(plugin, [one.producer_id for one in self.tree.registrations]))
        assert got.producer_ids == [
            one.producer_id for one in self.tree.registrations if one.active and one.plugin == plugin.plugin_name
        ]

    @precondition(lambda self: self.tree.registrations)
    @rule(data=st.data(), plugin=CALLERS)
    def unregister(self, data: st.DataObject, plugin: Caller) -> None:
        """A plugin ends a registration, which may have ended, or be another's."""
        one = self._registration(data)
        got = self.code(UnregisterProducer(plugin, one.session_id, one.producer_id))
        if one.plugin != plugin.plugin_name:
            assert got == "producer:not_found"
        else:
            assert got is None
            one.active = False

    @precondition(lambda self: self.tree.registrations)
    @rule(data=st.data(), mode=MODES, size=st.sampled_from([1, 30]))
    def produce(self, data: st.DataObject, mode: Mode, size: int) -> None:
        """A plugin sends, once and at once again."""
        one = self._registration(data)
        agent = self.tree.agents[one.session_id]
        plugin = PLUGINS[one.plugin]
        command = SendProducerMessage(plugin, one.session_id, one.producer_id, self.next("key"), "p" * size, mode)
        state = agent.recipient_state
        got, again = self.office.together(command, command)
        expected = "producer:not_found" if not one.active else self.tree.judge_other(agent)
        if expected:
            assert (got.code, again.code) == (expected, expected)
            return
        assert (got.mode, got.recipient_state.name, got.replayed) == (mode, state, False)
        assert (again.message_id, again.replayed) == (got.message_id, True)
        mail = Mail(got.message_id, one.session_id, None, mode.name, size, None, None, owner=one.plugin)
        self.tree.accept(mail)
        self.produced.append((command, got.message_id))

    @precondition(lambda self: self.produced)
    @rule(data=st.data(), other=st.booleans())
    def produce_again(self, data: st.DataObject, other: bool) -> None:
        """A repeat gets the first answer whatever is true now, by whichever registration; other content does not."""
        command, message_id = data.draw(st.sampled_from(self.produced))
        one = self._registration(data)
        body = "other" if other else command.body
        key = command.idempotency_key
        again = SendProducerMessage(command.caller, command.session_id, one.producer_id, key, body, command.mode)
        got = self.code(again)
        if other:
            assert got == "idempotency:conflict"
        else:
            assert (got.message_id, got.replayed) == (message_id, True)

    @precondition(lambda self: self.produced)
    @rule(data=st.data(), plugin=CALLERS)
    def discard(self, data: st.DataObject, plugin: Caller) -> None:
        """A plugin discards a message, which may be another's."""
        command, message_id = data.draw(st.sampled_from(self.produced))
        got = self.code(DiscardProducerMessage(plugin, command.session_id, message_id))
        mail = self.mail(message_id)
        if mail.owner != plugin.plugin_name:
            assert got == "message:not_found"
        elif mail.state in ("claimed", "consumed"):
            assert got == "message:claimed"
        else:
            assert got is None
            if mail.state == "waiting":
                self.tree.discard(mail, "OWNER")

    def _registration(self, data: st.DataObject) -> Registration:
        return self.tree.registrations[data.draw(st.integers(0, len(self.tree.registrations) - 1))]

    def registrations_lapse(self) -> None:
        """Take over which registrations have lapsed: all whose lease is over, and no other."""
        office = self.office
        office.store.begin()
        stored = office.store.load_producers([one.producer_id for one in self.tree.registrations])
        office.store.rollback()
        for one in self.tree.registrations:
            if one.active:
                producer = stored[one.producer_id]
                assert producer.active == (producer.lease_expire_time > office.time)
                one.active = producer.active

    def learn_reports(self) -> None:
        """Take over the ids, sizes and order of the reports that the service has just sent, and no other mail."""
        for recipient in {report.recipient for report in self.tree.reports}:
            agent = self.tree.agents[recipient]
            new = {report.sender: report for report in self.tree.reports if report.recipient == recipient}
            known = [mail for mail in agent.mail if mail.message_id]
            reports = [m for m in self.office.session(recipient).mail.values() if m.owner is Owner.DELEGATION]
            learned = reports[-len(new) :]
            for message in learned:
                report = new.pop(message.sender.session_id)
                report.message_id, report.size = message.message_id, message.body_bytes
                known.append(report)
            assert not new
            agent.mail = known
        self.tree.reports.clear()
