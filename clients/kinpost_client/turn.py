"""A turn: one model request of a run, with the mail that is put before it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from kinpost_client import convert
from kinpost_client.records import Mail

if TYPE_CHECKING:
    from kinpost.v1 import run_pb2

    from kinpost_client.run import Run
    from kinpost_client.terms import StopReason


class Word(Enum):
    """What was said of a turn."""

    NONE = auto()
    KEPT = auto()
    COMMITTED = auto()
    RELEASED = auto()


class Turn:
    """One model request. `run.turns()` makes them; each holds a claim on its mail.

    Put `prompt` into the prompt as a user turn and ask the model. What the body then says decides:

    * nothing, or `keep()`: the reply is kept and the mail was read. The run ends after it, unless more mail has come.
    * `more()`: the same, and the model shall be asked again, because it called tools.
    * `await release()`: the reply is not kept; the mail waits again and comes with the next turn.
    * an exception before any of these: the mail waits again and the run fails. After `keep()` or `more()`: the mail was
      read, and the run fails.

    The commit travels with the next call of the run. `await commit()` makes it at once: for a runtime that stores its
    conversation before it calls tools, so that a crash meanwhile does not bring the same mail a second time.
    """

    def __init__(self, run: Run, number: int, claim: run_pb2.Claim, stop_reason: StopReason | None) -> None:
        self.number = number
        self.mail: tuple[Mail, ...] = tuple(convert.mail(message) for message in claim.messages)
        self.more_pending = claim.more_pending
        self.stop_reason = stop_reason
        self.wants_more = False
        self.word = Word.NONE
        self.claim_seq = claim.claim_seq
        self._run = run

    def __repr__(self) -> str:
        return f"<turn {self.number} of run {self._run.run_id}: {len(self.mail)} messages, {self.word.name.lower()}>"

    @property
    def prompt(self) -> str:
        """The mail as it goes into the prompt, in accepted order, a blank line between two; empty without mail."""
        return "\n\n".join(mail.text for mail in self.mail)

    @property
    def uncommitted_claim_seq(self) -> int | None:
        """The claim that the run's next call has to commit, if any."""
        return self.claim_seq if self.word is Word.KEPT else None

    def keep(self) -> None:
        """Say that the model's reply is kept, so that the mail counts as read. Safe to repeat.

        Raises RuntimeError after `release()`, and for a turn that is not the run's latest.
        """
        self._check()
        if self.word is Word.NONE:
            self.word = Word.KEPT

    def more(self) -> None:
        """Say that the reply is kept and the model shall be asked again, whether mail waits or not.

        Raises RuntimeError as `keep`.
        """
        self.keep()
        self.wants_more = True

    async def commit(self) -> None:
        """Keep the reply and settle the mail at once, in place of with the run's next call. Safe to repeat.

        Raises RuntimeError as `keep`; RunEnded when the run is over; ClaimLost.
        """
        self.keep()
        if self.word is Word.KEPT:
            await self._run.commit_turn(self.claim_seq)
            self.word = Word.COMMITTED

    async def release(self, reason: str = "") -> None:
        """Give the mail back: it waits again, in its old order, and comes with the next turn. Safe to repeat.

        `reason` is for people, cut at 1024 bytes. Raises RuntimeError after `keep()`, RunEnded when the run is over.
        """
        if self.word in (Word.KEPT, Word.COMMITTED):
            raise RuntimeError("the turn is kept; it cannot be given back")
        if self.word is Word.NONE:
            if self._run.turn is not self:
                raise RuntimeError("the run has gone on; this turn is settled")
            await self._run.release_turn(self.claim_seq, reason)
            self.word = Word.RELEASED

    def _check(self) -> None:
        if self.word is Word.RELEASED:
            raise RuntimeError("the turn was given back; it cannot be kept")
        if self._run.turn is not self:
            raise RuntimeError("the run has gone on; this turn is settled")
