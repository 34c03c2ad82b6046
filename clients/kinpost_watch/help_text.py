"""The help screen's text."""

HELP = """\
Trees, on the left
  arrows, pgup, pgdn   move; the transcript follows the cursor
  home, end            the first, the last session
  enter                go to the transcript
  left, right          fold, unfold
Transcript, on the right
  arrows, pgup, pgdn   move; the log is read as you go
  home                 the beginning of the log
  end or f             the end of the log, and follow it
  enter                the whole of a row
  v                    which kinds of rows are shown
  w                    all mail that waits
Everywhere
  tab                  the other pane
  /                    filter by text: sessions left, rows right
  esc                  close, stop searching, show everything again
  a                    approvals: o allows once, t allows for the tree,
                       d denies; enter shows the whole of it
  d                    dead letters: r delivers again, u looks again
  t                    light or dark
  ?                    this help
  q                    quit
Signs
  ● running  ○ idle  ◌ queued  ✓ completed  ✗ failed  ! interrupted
  ⊘ cancelled  ✉3 mail that waits  ?1 asks a person  +5 folded away
  paused, closed, archived, ended: mail of the first two is held

What others wrote is shown as text: controls and hidden characters are
spelled out, as ^[ or <U+202E>.
"""
