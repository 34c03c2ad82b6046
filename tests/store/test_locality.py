"""A tree is the unit of locality: over a million rows every statement goes straight to its session, tree or thing.

What looks across trees is listed here, each with its reason and the one index that it may use.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from typing import NamedTuple

import pytest
from filling import EVENTS, LARGE, fill_postgres, fill_sqlite
from kinpost_server.store import open_store
from kinpost_server.store.statements import ArrayRows, KeyedQuery, Query, Rows
from kinpost_server.transport.event_codec import decode_body, encode
from plans import columns_of, plan_of
from postgres_server import connected

# An index is entered by one of these being equal to something: a session, or its tree.
OF_A_SESSION = {"session_id", "root_session_id", "sender_session_id", "source_session_id"}


EVERYTHING = "the whole log is what was asked for, a page at a time"
TAIL = "the newest events, at most `unindexed_events_max`, which are not in their indexes yet"
DUE = "what falls due anywhere, a page at a time, in the order of its time"
START = "once at a start, and after a standstill: the active runs and registrations are what it is about"
RETAINED = "once in a while, beside the service: which trees have been put away for long"
COUNTED = "the figures of the whole service, from indexes that hold what waits and nothing else"
NEWEST = "one entry at the end of the index"
# By statement: the conditions that are allowed beside those above ('' for none at all), and why.
ACROSS_TREES: dict[str, tuple[set[str], str]] = {
    "EventPages.all.page": ({"position>"}, EVERYTHING),
    "EventPages.all.page_of_types": ({"position>"}, EVERYTHING),
    "EventPages.all.stretch": ({"position>"}, EVERYTHING),
    "EventPages.oldest": ({""}, NEWEST),
    "EndsQuery._query": ({""}, NEWEST),
    "EventPages.session_tail.page": ({"position>"}, TAIL),
    "EventPages.session_tail.page_of_types": ({"position>"}, TAIL),
    "EventPages.session_tail.stretch": ({"position>"}, TAIL),
    "EventPages.tree_tail.page": ({"position>"}, TAIL),
    "EventPages.tree_tail.page_of_types": ({"position>"}, TAIL),
    "EventPages.tree_tail.stretch": ({"position>"}, TAIL),
    "EventPages.at_most_in_tail": ({"position>"}, TAIL),
    "EventPages.before_in_tail": ({"position>"}, TAIL),
    "SessionLoader.tail_seqs": ({"position>"}, TAIL),
    "Pages.sent_tail": ({"position>"}, TAIL),
    "Replays.sends1": ({"position>"}, TAIL),
    "Replays.answers1": ({"position>"}, TAIL),
    "Indexing._fills0": ({"position>"}, TAIL),
    "Indexing._fills1": ({"position>"}, TAIL),
    "Indexing._fills2": ({"position>"}, TAIL),
    "Writer.marks": ({""}, NEWEST),
    "SqlPeerReader.oldest": ({""}, NEWEST),
    "Pages.ping": ({""}, "any one row: whether the database answers"),
    "Pages.sessions": ({"position>"}, "the list of all trees is what was asked for, a page at a time"),
    "Queries.due": ({"due_time<"}, DUE),
    "Queries.due_producers": ({"lease_expire_time<"}, DUE),
    "SqlPeerStore.due": ({"due_time<"}, DUE),
    "SharedPeerStore.due": ({"due_time<"}, DUE),
    "SqlPeerStore.expirable": ({"create_time<"}, DUE),
    "SharedPeerStore.expirable": ({"create_time<"}, DUE),
    "PeerWriter.answers_gone": ({"create_time<"}, DUE),
    "PeerWriter.dead_letters_gone": ({"create_time<"}, DUE),
    "Queries.to_offer": ({"route="}, "the wakes that wait for a runtime's token or agent, the longest waiting first"),
    "Queries.to_offer_to_all": ({"next_offer_time<"}, "the wakes that wait, for a runtime that takes any"),
    "Queries.offered": ({"runtime_id="}, "what a runtime that comes or goes was offered"),
    "Queries.queued_children": ({"parent_run_id="}, "the children of one run, when it ends"),
    "Queries.hosted_count": ({"token_id="}, "counted once for each token that makes sessions"),
    "Queries.active": ({""}, START),
    "Queries.renew": ({""}, START),
    "Queries.renew_producers": ({"lease_expire_time<"}, START),
    "Queries.suspects": ({"session_id>", ""}, "reconciliation at a start, a page of sessions at a time"),
    "Retention.lives": ({""}, RETAINED),
    "Retention.sessions": ({"position>"}, RETAINED),
    "Retention.roots_in_tail": ({"position>"}, TAIL),
    "Retention.newest_in_tail": ({"position>"}, TAIL),
    "Retention.number": ({""}, NEWEST),
    "Retention.position": ({""}, NEWEST),
    "FigureQueries.counts": ({""}, COUNTED),
    "FigureQueries.wakes": ({""}, COUNTED),
    "FigureQueries.mail": ({""}, COUNTED),
    "SqlPeerReader.letters": ({"dead_letter_id<"}, "all dead letters, for people, a page at a time"),
    "SqlPeerReader.letters_of": ({"dead_letter_id<"}, "a peer's own among the dead letters that are kept: few"),
}

ENTRY = "what lies behind an entry that an index of the session, the tree or the sender gave, or the tail"
NAMED = "whoever calls names it by its id; whether he may is seen by its session, which it tells"
# And those that look up one thing by what alone identifies it: an id, or a position that was read before.
OF_ONE_THING: dict[str, tuple[set[str], str]] = {
    "EventPages.before_indexed": ({"position="}, ENTRY),
    "EventPages.session_indexed.page": ({"position="}, ENTRY),
    "EventPages.session_indexed.page_of_types": ({"position="}, ENTRY),
    "EventPages.session_indexed.stretch": ({"position="}, ENTRY),
    "EventPages.tree_indexed.page": ({"position="}, ENTRY),
    "EventPages.tree_indexed.page_of_types": ({"position="}, ENTRY),
    "EventPages.tree_indexed.stretch": ({"position="}, ENTRY),
    "Pages.sent_indexed": ({"position="}, ENTRY),
    "Replays.sends0": ({"position="}, ENTRY),
    "Replays.answers0": ({"position="}, ENTRY),
    "Replays.at_positions": ({"position="}, "mail whose positions are kept with the run that sent it"),
    "Retention.newest_indexed": ({"position="}, ENTRY),
    "Retention.droppable": ({"position="}, ENTRY),
    "Retention.events": ({"position="}, "the events of one tree that were found droppable"),
    "Retention.bodies": ({"position=", "body_id="}, "the peer bodies of these events' mail"),
    "Queries.bodies": ({"position="}, "the bodies of mail that its session's rows have told of"),
    "Writer.messages": ({"position="}, "mail of sessions that the batch has loaded, where it was found"),
    "Writer.approvals": ({"position="}, "approvals of sessions that the batch has loaded, where they were found"),
    "SharedStore._data_at": ({"position="}, "the one event by which a lost COMMIT is recognised"),
    "Queries.messages": ({"message_id="}, NAMED),
    "Queries.approvals": ({"approval_id="}, NAMED),
    "Queries.producers": ({"producer_id="}, NAMED),
    "Pages.message": ({"message_id="}, NAMED),
    "Pages.approval": ({"approval_id="}, NAMED),
    "Pages.acceptances": ({"message_id=", "position="}, "the mail that waited in a session which is forked"),
    "SqlPeerReader.one": ({"message_id=", "position="}, "a summary is asked for by its message's id"),
    "SqlPeerReader.of_source": ({"message_id=", "position="}, "the messages of bodies that one session sent"),
    "SqlPeerStore.answer": ({"key_hash="}, "a repeated request, by the digest of its token and key"),
    "SharedPeerStore.answer": ({"key_hash="}, "a repeated request, by the digest of its token and key"),
    "SqlPeerStore.exchanges": ({"lower_session_id="}, "a pair of sessions; the higher one is the rest of the key"),
    "SharedPeerStore.exchanges": ({"lower_session_id="}, "a pair of sessions; the higher one is the rest of the key"),
    "SqlPeerStore.bodies": ({"body_id="}, "a body is fetched by the id that a summary names"),
    "SharedPeerStore.bodies": ({"body_id="}, "a body is fetched by the id that a summary names"),
    "SqlPeerStore.parked": ({"parked_id="}, "parked mail that was found due"),
    "SharedPeerStore.parked": ({"parked_id="}, "parked mail that was found due"),
    "PeerWriter.parked_gone": ({"parked_id="}, "parked mail that was found due, and is delivered"),
    "SqlPeerStore.dead_letters": ({"dead_letter_id="}, "a dead letter is delivered again by its id"),
    "SharedPeerStore.dead_letters": ({"dead_letter_id="}, "a dead letter is delivered again by its id"),
}

# What SQLite's indexes are filled by: nothing is ever behind its index on PostgreSQL, so it never runs there.
OF_SQLITE = {"Indexing._fills0", "Indexing._fills1", "Indexing._fills2"}


class Step(NamedTuple):
    """How a plan comes by rows of a table: `column=` or `column>` of what its index is entered by, none for a scan."""

    table: str
    conditions: frozenset[str]


def statements_of(holder, found=None, seen=None):
    """Every statement that an object of the store holds, however deep, by the class that holds it."""
    found, seen = ({}, set()) if found is None else (found, seen)
    seen.add(id(holder))
    for name, value in vars(holder).items():
        label = f"{type(holder).__name__}.{name}"
        for number, one in enumerate(value) if isinstance(value, list) else [("", value)]:
            if isinstance(one, Query | KeyedQuery):
                found[f"{label}{number}"] = one.sql
            elif isinstance(one, Rows | ArrayRows):
                found[f"{label}{number}"] = one.sql(2)
            elif is_of_the_store(one) and id(one) not in seen:
                below = statements_of(one, {}, seen)
                part = type(one).__name__.startswith("_")  # is told by the name that it has here
                found |= {f"{label}.{key.partition('.')[2]}" if part else key: sql for key, sql in below.items()}
    return found


def is_of_the_store(value):
    return type(value).__module__.startswith("kinpost_server.store") and hasattr(value, "__dict__")


@pytest.fixture(scope="module")
def sqlite_path(tmp_path_factory):
    """A large file that its server has never looked at as a whole."""
    path = tmp_path_factory.mktemp("large") / "kinpost.sqlite3"
    with serving(f"sqlite:///{path}"):
        pass  # the tables are made
    fill_sqlite(str(path))
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def large_postgres_url(postgres_server):
    """A large database with everything that the planner wants to know of it."""
    url = postgres_server.make_database()
    with connected(url) as connection:
        fill_postgres(connection)
        connection.execute("ANALYZE")
    yield url
    postgres_server.drop_database(url)


def sqlite_plan(connection, sql):
    """SQLite tells of no other conditions than those that an index is entered by; but it may step over a column."""
    plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")).fetchall()
    for *_ids, text in plan:
        found = re.match(r"(?:SCAN|SEARCH) (\w+)(?: .*?\((.*)\))?", text)
        if found is not None and found[1] in LARGE:
            conditions = re.findall(r"(\w+)([=<>])", (found[2] or "").partition("ANY(")[0])
            yield Step(found[1], frozenset(f"{name.replace('rowid', 'position')}{sign}" for name, sign in conditions))


def postgres_plan(connection, sql):
    for node in plan_of(connection, sql):
        if node.get("Relation Name") in LARGE and node["Node Type"] != "ModifyTable":
            conditions = re.findall(r"(\w+)\"? ([=<>])", node.get("Index Cond", ""))
            columns = columns_of(connection, node["Index Name"]) if conditions else []
            yield Step(node["Relation Name"], frozenset(entered_by(columns, conditions)))


def entered_by(columns, conditions):
    """What narrows an index: equality from its first column on, then at most one range. All else is only compared."""
    for column in columns:
        signs = {sign for name, sign in conditions if name == column}
        yield from (f"{column}{sign}" for sign in signs)
        if "=" not in signs:
            break


def strays(opened, steps_of):
    """The statements that look further than they may, with the steps at which they do; and all statements."""
    statements = statements_of(opened.store) | statements_of(opened.reader)
    found = {}
    with opened.store._transaction.connection() as connection:
        for name, sql in statements.items():
            if steps_of is postgres_plan and name in OF_SQLITE:
                continue
            allowed = {f"{column}=" for column in OF_A_SESSION} | allowed_to(name)
            steps = [step for step in steps_of(connection, sql) if not (step.conditions or {""}) & allowed]
            if steps:
                found[name] = steps
    return found, statements


def allowed_to(name):
    """The conditions that a statement may use beside those of a session."""
    return {condition for table in (ACROSS_TREES, OF_ONE_THING) for condition in table.get(name, (set(), ""))[0]}


@contextlib.contextmanager
def serving(url):
    """A store that is open, as a server has it."""
    opened = open_store(url, encode=encode, decode_body=decode_body)
    try:
        yield opened
    finally:
        opened.store.close()


@pytest.mark.timeout(600)
def test_in_a_large_file_every_statement_goes_straight_to_what_it_names(sqlite_path):
    """As the service leaves it, and with what the database knows of its tables when somebody has had them analysed."""
    for prepare in ("", "ANALYZE"):
        with contextlib.closing(sqlite3.connect(sqlite_path)) as connection:
            connection.execute(prepare)
        with serving(f"sqlite:///{sqlite_path}") as opened:
            assert opened.reader.last_position() == EVENTS
            found, statements = strays(opened, sqlite_plan)
            assert found == {}
            assert len(statements) > 120


@pytest.mark.timeout(600)
def test_in_a_large_database_every_statement_goes_straight_to_what_it_names(large_postgres_url):
    with serving(large_postgres_url) as opened:
        assert opened.reader.last_position() == EVENTS
        found, statements = strays(opened, postgres_plan)
        assert found == {}
        assert len(statements) > 120


def test_plans_that_were_made_while_a_database_was_empty_are_those_that_a_large_one_needs(postgres_url):
    """A server keeps its plans for as long as it is connected."""
    with serving(postgres_url) as opened:
        found, _ = strays(opened, postgres_plan)
        assert found == {}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_statement_without_its_index_would_be_seen(kind, postgres_url, tmp_path):
    """With enable_seqscan off an index is read from end to end in place of the table, which is as bad."""
    url, plan, gone = {
        "sqlite": (f"sqlite:///{tmp_path / 'kinpost.sqlite3'}", sqlite_plan, "message_pending"),
        "postgres": (postgres_url, postgres_plan, "event_session"),
    }[kind]
    with serving(url) as opened:
        opened.store._transaction._connected().execute(f"DROP INDEX {gone}")
        found, _ = strays(opened, plan)
    assert ("SessionLoader.mail" if kind == "sqlite" else "SessionLoader.sessions") in found


def test_an_index_whose_columns_stand_in_another_order_would_be_seen(postgres_url):
    """All of it is read, and compared with the session; the plan has a condition all the same."""
    with serving(postgres_url) as opened:
        connection = opened.store._transaction._connected()
        columns = columns_of(connection, "event_session")
        assert columns[0] == "session_id"
        connection.execute("DROP INDEX event_session")
        connection.execute(f"CREATE UNIQUE INDEX event_session ON event ({', '.join(reversed(columns))})")
        found, _ = strays(opened, postgres_plan)
        told = [node.get("Index Cond", "") for node in plan_of(connection, opened.store._loader.sessions.sql)]
    assert "SessionLoader.sessions" in found
    assert any("session_id =" in condition for condition in told)


def test_what_an_index_is_entered_by():
    columns = ["session_id", "state", "position"]
    assert set(entered_by(columns, [("session_id", "="), ("position", ">")])) == {"session_id="}
    assert set(entered_by(columns, [("session_id", "="), ("state", ">"), ("position", "=")])) == {
        "session_id=",
        "state>",
    }
    assert set(entered_by(columns, [("state", "="), ("position", "=")])) == set()


def needed(opened, steps_of):
    """Each condition that a statement uses where none of a session does, with its statement."""
    with opened.store._transaction.connection() as connection:
        for name, sql in (statements_of(opened.store) | statements_of(opened.reader)).items():
            for step in steps_of(connection, sql):
                if not {column for column in OF_A_SESSION if f"{column}=" in step.conditions}:
                    yield from ((name, condition) for condition in step.conditions or {""})


def test_no_exception_is_made_that_no_statement_needs(postgres_url, tmp_path):
    """Each is needed on one of the two databases."""
    found = set()
    for url, plan in ((postgres_url, postgres_plan), (f"sqlite:///{tmp_path / 'kinpost.sqlite3'}", sqlite_plan)):
        with serving(url) as opened:
            found |= set(needed(opened, plan))
    made = {
        (name, condition)
        for table in (ACROSS_TREES, OF_ONE_THING)
        for name, (conditions, _why) in table.items()
        for condition in conditions
    }
    assert made <= found
    assert not ACROSS_TREES.keys() & OF_ONE_THING.keys()
