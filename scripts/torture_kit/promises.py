"""The log against the journal: whether everything that was promised happened, and nothing else."""

from __future__ import annotations

from kinpost.v1 import message_pb2

from torture_kit.history import History, Mail
from torture_kit.journal import PEER, PLUGIN, USER, Identity, Journal, Send

NOT_ASKED = (USER, PEER, PLUGIN)  # whose mail no person is asked of, and who are told of no end of it
TAKEN_BACK = (message_pb2.DISCARD_REASON_RETRACTED, message_pb2.DISCARD_REASON_OWNER)


def check_promises(journal: Journal, history: History) -> None:
    """Note in the journal what was promised and is not so, or is so and was not asked for."""
    for identity, send in journal.sends.items():
        _check_send(journal, identity, send, history.by_identity.get(identity, []))
    for identity in history.by_identity.keys() - journal.sends.keys():
        journal.found("out of nowhere", f"{identity} is in the log, and nobody sent it")
    _check_approvals(journal, history)
    _check_claims(journal, history)
    _check_runs(journal, history)
    _check_letters(journal, history)
    for mail in history.mail.values():
        _check_end(journal, history, mail)


def _check_send(journal: Journal, identity: Identity, send: Send, stored: list[Mail]) -> None:
    if len(stored) > 1:
        journal.found("stored twice", f"{identity} is {len(stored)} messages")
    if send.message_ids and not stored:
        journal.found("lost", f"{identity} was accepted as {send.message_ids[0]} and is not in the log")
    if stored and send.message_ids and send.message_ids[0] != stored[0].message_id:
        journal.found("lost", f"{identity} was accepted as {send.message_ids[0]}; the log has {stored[0].message_id}")
    if stored and send.refused and not send.message_ids:
        journal.found("refused but stored", f"{identity} was refused, and is in the log as {stored[0].message_id}")
    for mail in stored:
        if (mail.session_id, mail.mode) != (send.recipient, send.mode) or not mail.body_is_right:
            journal.found("body", f"{identity} is stored with another recipient, mode or body than it was sent with")


def _check_approvals(journal: Journal, history: History) -> None:
    for identity, approval_id in journal.asked.items():
        question = history.questions.get(approval_id)
        if question is None or question.identity != identity:
            journal.found("lost", f"{identity} was to wait for {approval_id}, which is not in the log")
    for identity in journal.carried_out - history.by_identity.keys():
        journal.found("lost", f"{identity} was allowed by a person and carried out, and is not in the log")
    for identity in journal.denied & history.by_identity.keys():
        journal.found("refused but stored", f"{identity} was denied by a person, and is in the log")
    used = {question.identity for question in history.questions.values() if question.state == "used"}
    for mail in history.mail.values():
        asks = journal.asks.get(mail.identity.session_id) == mail.session_id and mail.identity.scope not in NOT_ASKED
        if asks and mail.identity not in used and mail.root_session_id not in history.grants:
            journal.found("approvals", f"{mail.message_id} went out, and nobody was asked")
    for approval_id, question in history.questions.items():
        stored = [mail.message_id for mail in history.by_identity.get(question.identity, ())]
        if stored != ([question.message_id] if question.state == "used" else []):
            journal.found("approvals", f"{approval_id} is {question.state}, and what it was asked for is {stored}")


def _check_letters(journal: Journal, history: History) -> None:
    for identity in journal.refused_for_good - journal.letters.keys():
        journal.found("lost", f"{identity} was refused for good, and is no dead letter")
    for identity in journal.parked - journal.letters.keys() - history.by_identity.keys():
        journal.found("lost", f"{identity} was to be delivered in its turn, and was not, and is no dead letter")
    recorded = history.counts["peer_dead_letter_recorded"]
    if recorded != journal.letters.total():
        journal.found("letters", f"{recorded} dead letters are in the log, and {journal.letters.total()} are kept")


def _check_claims(journal: Journal, history: History) -> None:
    for name, claimed in journal.claims.items():
        claim = history.claims.get(name)
        if claim is None or (claim.attempt_id, claim.message_ids) != (claimed.attempt_id, claimed.message_ids):
            journal.found("claims", f"{name} was answered, and is another in the log, or none")
    for name, message_ids in journal.committed.items():
        claim = history.claims.get(name)
        if claim is None or claim.state != "committed" or claim.message_ids != message_ids:
            journal.found("lost", f"the commit of {name} was answered and is not in the log")
    for name in journal.not_committed:
        claim = history.claims.get(name)
        if claim is not None and claim.state == "committed":
            journal.found("refused but stored", f"the commit of {name} was refused, and is in the log")


def _check_runs(journal: Journal, history: History) -> None:
    for name, run_ids in history.runs.items():
        if len(run_ids) > 1:
            journal.found("two runs", f"the start {name} led to {len(run_ids)} runs")
    for name, run_id in journal.runs.items():
        if run_id not in history.runs.get(name, ()):
            journal.found("lost", f"the start {name} was answered with {run_id}, which is not in the log")


def _check_end(journal: Journal, history: History, mail: Mail) -> None:
    if mail.peer_notices != (mail.identity.scope == PEER):
        journal.found("notices", f"the sender of {mail.message_id} was told {mail.peer_notices} times that it went out")
    if mail.message_id in journal.retracted and mail.state != "discarded":
        journal.found("lost", f"the retraction of {mail.message_id} was answered, and it is {mail.state}")
    refused = (
        mail.message_id in journal.retractions_refused - journal.retracted
    )  # refused once, it may be answered later
    if refused and mail.reason in TAKEN_BACK:
        journal.found("refused but stored", f"the retraction of {mail.message_id} was refused, and it is discarded")
    if mail.state != "discarded":
        return
    if not _is_asked_for(journal, history, mail):
        reason = message_pb2.DiscardReason.Name(message_pb2.DiscardReason.ValueType(mail.reason))
        journal.found("lost", f"{mail.message_id} is discarded with {reason}, which nobody asked for")
    told = mail.reason == message_pb2.DISCARD_REASON_EXPIRED and mail.identity.scope not in NOT_ASKED
    if mail.undeliverable_notices != told:
        journal.found("notices", f"the sender of {mail.message_id} was told {mail.undeliverable_notices} times")


def _is_asked_for(journal: Journal, history: History, mail: Mail) -> bool:
    if mail.reason == message_pb2.DISCARD_REASON_EXPIRED:
        return mail.expires
    if mail.reason in TAKEN_BACK:
        return mail.message_id in journal.retractions_asked
    if mail.reason == message_pb2.DISCARD_REASON_SUPERSEDED:
        later = history.mail.get(mail.superseded_by)
        send = journal.sends.get(later.identity) if later is not None else None
        return send is not None and send.supersedes == mail.message_id
    return False
