"""The terminal UI on a connection of its own, until its user quits."""

from __future__ import annotations

from kinpost_client import Retry, connect

from kinpost_watch.app import Watch


async def run(
    address: str,
    token: str,
    *,
    tls: bool | None = None,
    root_certificates: bytes | None = None,
    seconds: float = 10.0,
    root_session_id: str | None = None,
    session_id: str | None = None,
    light: bool = False,
) -> None:
    """Show all trees, or one, beginning with a session's log.

    A call that does not work is repeated for `seconds` before its failure is shown; the streams wait for ever.
    """
    retry = Retry(give_up_seconds=seconds)
    async with connect(address, token=token, tls=tls, root_certificates=root_certificates, retry=retry) as client:
        app = Watch(client, address, root_session_id=root_session_id, session_id=session_id, light=light)
        await app.run_async()
