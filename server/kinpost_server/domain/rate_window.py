"""The rate window: how many calls a token has made of late. Times are microseconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

SECOND = 1_000_000


@dataclass(slots=True, frozen=True)
class PeerLimits:
    """`[peer]`: the window, and how long things are kept. Seconds and counts."""

    calls_max: int = 120
    window_seconds: float = 3600.0
    replay_seconds: float = 600.0
    dead_letter_seconds: float = 30 * 86_400.0

    @property
    def window(self) -> int:
        """The window's length in microseconds."""
        return int(self.window_seconds * SECOND)

    def kept_since(self, now: int) -> tuple[int, int]:
        """Return before which instants first answers and dead letters are kept no longer."""
        return now - int(self.replay_seconds * SECOND), now - int(self.dead_letter_seconds * SECOND)


@dataclass(slots=True)
class RateWindow:
    """The calls of one token that count, the oldest first, and how many messages wait for a slot."""

    token_id: str
    call_times: list[int] = field(default_factory=list)
    parked_count: int = 0

    def slide(self, now: int, limits: PeerLimits) -> None:
        """Drop the calls that have left the window."""
        since = now - limits.window
        self.call_times = [time for time in self.call_times if time > since]

    def has_room(self, limits: PeerLimits) -> bool:
        """Whether a call may have a slot: those that wait come first."""
        return limits.calls_max - len(self.call_times) > self.parked_count

    def retry_after_ms(self, now: int, limits: PeerLimits) -> int:
        """Return when the oldest counted call leaves the window, in milliseconds from now, rounded up."""
        if not self.call_times:
            return 0
        return max(0, -(-(self.call_times[0] + limits.window - now) // 1000))

    def turn_time(self, place: int, now: int, limits: PeerLimits) -> int:
        """Return when the waiting message of a place, 0 for the first, can have its slot."""
        leaving = place - (limits.calls_max - len(self.call_times))
        if leaving < 0 or not self.call_times:
            return now
        return self.call_times[min(leaving, len(self.call_times) - 1)] + limits.window
