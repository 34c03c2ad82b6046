"""The model's part in reverts and forks: how a session stood at each point, and what becomes of its mail."""

from __future__ import annotations

from delivery import Agent, Mail, Point, Tree


def note(agent: Agent, seq: int) -> None:
    """Remember how the session stands after its newest event."""
    mail = {mail.message_id: (mail.state, mail.deliveries) for mail in agent.mail}
    agent.points.setdefault(seq, Point(agent.state, agent.failing, agent.openings, mail))


def revert(tree: Tree, agent: Agent, seq: int, now: int, *, pause: bool) -> None:
    """Go back to a point: what people decided since stands, and what was told dead stays dead."""
    point = agent.points[seq]
    if point.state == "QUEUED":
        agent.state = "QUEUED" if agent.state == "QUEUED" else "IDLE"
    else:
        agent.state = "INTERRUPTED" if point.state == "RUNNING" else point.state
    agent.failing = point.failing if agent.openings == point.openings else 0
    for mail in agent.mail:
        then, deliveries = point.mail.get(mail.message_id, ("", 0))
        if mail.state == "discarded" or then == "consumed":
            continue
        mail.state, mail.run_id, mail.deliveries, mail.consumptions = "waiting", None, deliveries, 0
        if not then:
            tree.discard(mail, "REVERTED")
        elif mail.replaced:
            tree.discard(mail, "SUPERSEDED")
        elif mail.expire_time is not None and mail.expire_time <= now:
            tree.discard(mail, "EXPIRED")
    for later in [other for other in agent.points if other > seq]:
        agent.undone[later] = agent.points.pop(later)
    if pause and agent.may_wake:
        tree.pause(agent)
    elif pause and agent.availability == "PAUSED":
        agent.until_time = None


def continued(agent: Agent, seq: int) -> list[Mail]:
    """Return what a fork at a point continues."""
    point = agent.points.get(seq) or agent.undone[seq]
    pending = [m for m in agent.mail if point.mail.get(m.message_id, ("",))[0] in ("waiting", "claimed")]
    replaced = {mail.replaces for mail in pending}
    return [mail for mail in pending if mail.message_id not in replaced]
