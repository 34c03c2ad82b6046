"""What calls about sessions, runs, claims and wakes can be refused with."""

from __future__ import annotations

from kinpost_client.errors.base import KinpostError


class SessionNotFound(KinpostError):
    """There is no such session, or it is not this token's."""

    CODE = "session:not_found"


class SessionExists(KinpostError):
    """The session id is taken by a session of other content."""

    CODE = "session:exists"


class TooManySessions(KinpostError):
    """The token hosts as many sessions as it may."""

    CODE = "session:too_many"


class SessionNotOpen(KinpostError):
    """The session may not run now: it is paused, closed or archived."""

    CODE = "session:not_open"


class SessionLogMoved(KinpostError):
    """The session's log has moved on since the caller looked."""

    CODE = "session:log_moved"


class RunEnded(KinpostError):
    """The run is over, without its runtime having ended it. Its mail waits for the next run."""


class RunNotActive(RunEnded):
    """The session has no such active run."""

    CODE = "run:not_active"


class RunLeaseLost(RunEnded):
    """The run's lease lapsed."""

    CODE = "run:lease_lost"


class RunCancelled(RunEnded):
    """The run was cancelled."""

    CODE = "run:cancelled"


class RunAlreadyActive(KinpostError):
    """The session has an active run already."""

    CODE = "run:already_active"


class RuntimeReplaced(KinpostError):
    """The same runtime id attached anew elsewhere; this attachment is over."""

    CODE = "runtime:replaced"


class ClaimLost(KinpostError):
    """The claim was settled or given back before."""

    CODE = "claim:lost"


class ClaimOutstanding(KinpostError):
    """The run has a claim that is neither committed nor released."""

    CODE = "claim:outstanding"


class WakeSettled(KinpostError):
    """The wake is settled, withdrawn, or offered to another runtime: there is nothing left to do for it."""

    CODE = "wake:settled"


class TurnLeftOpen(Exception):
    """A run's body was left inside a turn of which nothing was said; its mail was given back, the run failed.

    Call `turn.keep()` before leaving the loop early, or `await turn.release()`.
    """
