"""The picture of a message's life, drawn from the table in `domain/lifecycle.py`.

Where the states stand and how the arrows bend is drawn here; which arrows there are is the table's to say. A state or
an arrow without a place is a KeyError, so that the table cannot grow past its picture.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from kinpost_server.domain.lifecycle import STEPS, Step
from kinpost_server.domain.message import MessageState

WIDTH, HEIGHT = 980, 520
BOX_WIDTH, BOX_HEIGHT = 124, 46
TITLE = "The life of a message"
START = (50.0, 190.0)
PLACES = {
    MessageState.ACCEPTED: (210.0, 190.0),
    MessageState.ADMITTED: (440.0, 190.0),
    MessageState.CLAIMED: (670.0, 190.0),
    MessageState.CONSUMED: (900.0, 190.0),
    MessageState.RELEASED: (555.0, 345.0),
    MessageState.DISCARDED: (310.0, 470.0),
}
STYLE = (
    "text{font-family:system-ui,sans-serif;font-size:15px;text-anchor:middle}"
    ".step{paint-order:stroke;stroke:#fff;stroke-width:6px;font-size:14px}"
)
COLOURS = {
    "accept": "#1b5e20",
    Step.ADMIT: "#1565c0",
    Step.CLAIM: "#6a1b9a",
    Step.RELEASE: "#b26a00",
    Step.CONSUME: "#1b5e20",
    Step.DISCARD: "#b71c1c",
    Step.REVERT: "#546e7a",
}


class Way(NamedTuple):
    """How an arrow goes: where it leaves and ends, measured from the middles of the boxes, and how far it bends."""

    leave: tuple[float, float]
    arrive: tuple[float, float]
    bend: float = 0.0


RIGHT, LEFT = BOX_WIDTH / 2, -BOX_WIDTH / 2
DOWN, UP = BOX_HEIGHT / 2, -BOX_HEIGHT / 2
_A, _D, _C, _F = MessageState.ACCEPTED, MessageState.ADMITTED, MessageState.CLAIMED, MessageState.CONSUMED
_R, _X = MessageState.RELEASED, MessageState.DISCARDED
WAYS = {
    (Step.ADMIT, _A): Way((RIGHT, 0), (LEFT, 0)),
    (Step.ADMIT, _D): Way((0, UP), (44, UP), 52),
    (Step.ADMIT, _R): Way((-34, UP), (24, DOWN)),
    (Step.CLAIM, _D): Way((RIGHT, 0), (LEFT, 0)),
    (Step.CLAIM, _R): Way((22, UP), (-36, DOWN)),
    (Step.RELEASE, _C): Way((24, DOWN), (RIGHT, 0), 36),
    (Step.CONSUME, _C): Way((RIGHT, 0), (LEFT, 0)),
    (Step.DISCARD, _A): Way((-20, DOWN), (-36, UP), -16),
    (Step.DISCARD, _D): Way((-28, DOWN), (30, UP)),
    (Step.DISCARD, _R): Way((0, DOWN), (RIGHT, 0), 36),
    (Step.REVERT, _D): Way((-34, UP), (34, UP), -44),
    (Step.REVERT, _R): Way((LEFT, 0), (36, DOWN), 26),
    (Step.REVERT, _F): Way((0, UP), (-10, UP), -135),
}


def picture() -> str:
    """Return the picture as SVG."""
    arrows = [_arrow("accept", START, (PLACES[_A][0] + LEFT, PLACES[_A][1]), 0.0)]
    arrows += [_way(step, source, target) for step, (sources, target) in STEPS.items() for source in sorted(sources)]
    return "\n".join([*_head(), *arrows, *(_box(state) for state in MessageState if state in STATES), "</svg>", ""])


STATES = {state for sources, target in STEPS.values() for state in (*sources, target)}


def _head() -> list[str]:
    markers = [
        f'<marker id="{step}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L10 5L0 10z" fill="{colour}"/></marker>'
        for step, colour in COLOURS.items()
    ]
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title">',
        f'<title id="title">{TITLE}</title>',
        "<defs>",
        *markers,
        "</defs>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#fff"/>',
        f'<circle cx="{START[0]:g}" cy="{START[1]:g}" r="6" fill="{COLOURS["accept"]}"/>',
    ]


def _way(step: Step, source: MessageState, target: MessageState) -> str:
    way = WAYS[step, source]
    start, end = _moved(PLACES[source], way.leave), _moved(PLACES[target], way.arrive)
    return _arrow(step, start, end, way.bend)


def _moved(place: tuple[float, float], by: tuple[float, float]) -> tuple[float, float]:
    return place[0] + by[0], place[1] + by[1]


def _arrow(step: str, start: tuple[float, float], end: tuple[float, float], bend: float) -> str:
    """Return an arrow; `bend` is how far its middle lies beside the straight line, to the left of its direction."""
    across, along = end[1] - start[1], end[0] - start[0]
    length = hypot(across, along)
    middle = ((start[0] + end[0]) / 2 + bend * across / length, (start[1] + end[1]) / 2 - bend * along / length)
    control = (2 * middle[0] - (start[0] + end[0]) / 2, 2 * middle[1] - (start[1] + end[1]) / 2)
    curve = f"M{_point(start)}Q{_point(control)} {_point(end)}"
    colour = COLOURS[step]
    return (
        f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="1.8" marker-end="url(#{step})"/>'
        f'<text class="step" x="{middle[0]:.0f}" y="{middle[1] + 5:.0f}" fill="{colour}">{step}</text>'
    )


def _point(place: tuple[float, float]) -> str:
    return f"{place[0]:.0f} {place[1]:.0f}"


def _box(state: MessageState) -> str:
    x, y = PLACES[state]
    return (
        f'<rect x="{x + LEFT:g}" y="{y + UP:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8" '
        'fill="#eef2f6" stroke="#37474f" stroke-width="1.5"/>'
        f'<text x="{x:g}" y="{y + 5:g}" fill="#111">{state.name.lower()}</text>'
    )
