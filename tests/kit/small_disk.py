"""A small disk in the place of a folder, a tmpfs: in our own view of the files, or in another where we may not mount.

That view is made by a user namespace, in which everybody is root; it lasts as long as the process that made it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

OWN_VIEW = ("unshare", "--user", "--map-root-user", "--mount")


class SmallDisk:
    """Over a folder that is there. Raises OSError where this machine does not let us have one."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._holder: subprocess.Popen[bytes] | None = None
        self._as_root: tuple[str, ...] = ()  # a command that may change the disk
        self.within: tuple[str, ...] = ()  # a command that runs a program where the disk is seen, as who we are
        self.folder = folder  # where we see it
        mount = ("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder))
        if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
            self._mount_elsewhere(mount)

    def _mount_elsewhere(self, mount: tuple[str, ...]) -> None:
        script = '"$@" && echo mounted && exec cat'
        command = (*OWN_VIEW, "sh", "-c", script, "sh", *mount)
        self._holder = holder = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert holder.stdout is not None
        if not holder.stdout.readline():
            self.close()
            raise OSError("this machine does not let us mount a disk")
        enter = ("nsenter", "--user", "--mount", "--preserve-credentials", f"--target={holder.pid}")
        self._as_root = enter
        as_ourselves = ("unshare", "--user", f"--map-user={os.getuid()}", f"--map-group={os.getgid()}")
        self.within = (*enter, *as_ourselves)
        self.folder = Path(f"/proc/{holder.pid}/root{self._folder}")

    def resize(self, size: int, *, check: bool = True) -> None:
        """Make it larger or smaller; not smaller than what is on it."""
        command = [*self._as_root, "mount", "-o", f"remount,size={size}", str(self._folder)]
        subprocess.run(command, check=check, capture_output=True)

    def close(self) -> None:
        """Give it up, with all that is on it."""
        if self._holder is None:
            subprocess.run(["umount", "--lazy", self._folder], check=False)
        else:
            with self._holder as holder:
                assert holder.stdin is not None
                holder.stdin.close()


def may_have_one(folder: Path) -> bool:
    """Whether this machine lets us have one in the place of a folder, and run programs that see it."""
    try:
        disk = SmallDisk(folder, 64 << 10)
    except OSError:
        return False
    try:
        return subprocess.run([*disk.within, "touch", folder / "probe"], check=False).returncode == 0
    finally:
        disk.close()
