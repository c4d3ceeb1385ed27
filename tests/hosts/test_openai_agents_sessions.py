"""A session that folds what it stores: the protocol, and what happens to it while a summary is awaited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import SessionSettings, SQLiteSession, TResponseInputItem
from agents.memory import Session
from tests.compaction.talk import Slow
from tests.hosts.test_openai_agents import summing, talk

import foldproof as fp
from foldproof_compactors.openai_agents import FoldproofSession

LATER: Any = {"role": "user", "content": "said in the meantime"}


class InMemory:
    """A session of somebody's own; it fails to store where it is told to."""

    session_settings: SessionSettings | None = None

    def __init__(self, items: list[TResponseInputItem]) -> None:
        self.session_id, self.items, self.fails = "mine", list(items), 0
        self.storing, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return self.items[-limit:] if limit is not None else list(self.items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        self.storing.set()
        await self.go_on.wait()
        if self.fails:
            self.fails -= 1
            raise OSError("the disk is full")
        self.items += items

    async def pop_item(self) -> TResponseInputItem | None:
        return self.items.pop() if self.items else None

    async def clear_session(self) -> None:
        self.items.clear()


def test_the_protocol_is_kept() -> None:
    async def run() -> None:
        inner = SQLiteSession("desk", session_settings=SessionSettings(limit=3))
        session = FoldproofSession(inner, summing())
        assert isinstance(session, Session)
        assert session.session_id == "desk"
        assert session.session_settings == SessionSettings(limit=3)
        await session.add_items(talk())
        shown = await session.get_items()
        assert shown == talk()[-3:]
        everything = await session.get_items(1_000)
        assert len(everything) < len(talk())
        assert everything == await inner.get_items(1_000)
        assert everything[-5:] == talk()[-5:]
        assert await session.get_items(2) == everything[-2:]
        assert await session.pop_item() == everything[-1]
        await session.clear_session()
        assert await session.get_items(1_000) == []
        assert await session.pop_item() is None
        inner.close()

    asyncio.run(run())


def test_what_left_the_session_is_in_the_state() -> None:
    async def run() -> None:
        session = FoldproofSession(InMemory(talk()), summing())
        state = session.hosted.state(await session.get_items())
        said = "\n".join(message.text for message in state.ledger)
        assert all(f"ORD-{4400 + at}" in said for at in range(6))
        elsewhere = FoldproofSession(InMemory(await session.get_items()), summing(1_000_000))
        elsewhere.hosted.restore(fp.ConversationState.model_validate_json(state.model_dump_json(by_alias=True)))
        assert elsewhere.hosted.state(await elsewhere.get_items()).ledger == state.ledger

    asyncio.run(run())


@pytest.mark.parametrize("meanwhile", ["added", "popped", "cleared", "cancelled"])
def test_what_happens_while_a_summary_is_awaited_is_kept(meanwhile: str) -> None:
    async def run() -> None:
        slow, inner = Slow(), InMemory(talk())
        session = FoldproofSession(inner, fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
        asked = asyncio.create_task(session.get_items())
        await slow.began.wait()
        if meanwhile == "cancelled":
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            assert inner.items == talk()
            assert session.records[-1].outcome == "cancelled"
            return
        if meanwhile == "added":
            await session.add_items([LATER])
        elif meanwhile == "popped":
            await session.pop_item()
        else:
            await session.clear_session()
        slow.go_on.set()
        shown = await asked
        assert shown == inner.items
        if meanwhile == "added":
            assert shown[-1] == LATER
            assert len(shown) < len(talk())
            assert session.records[-1].outcome == "complete"
        else:
            assert session.records[-1].outcome == "error"
            assert "changed" in str(session.records[-1].error)
            assert shown == (talk()[:-1] if meanwhile == "popped" else [])

    asyncio.run(run())


def test_a_store_that_fails_has_what_it_had() -> None:
    async def run() -> None:
        inner = InMemory(talk())
        inner.fails = 1
        with pytest.raises(OSError, match="disk"):
            await FoldproofSession(inner, summing()).get_items()
        assert inner.items == talk()

    asyncio.run(run())


def test_a_run_that_is_cancelled_while_items_are_stored_loses_none() -> None:
    async def run() -> None:
        inner = InMemory(talk())
        inner.go_on.clear()
        session = FoldproofSession(inner, summing())
        asked = asyncio.create_task(session.get_items())
        await inner.storing.wait()  # the old list is gone, and the new one is not there
        asked.cancel()
        asyncio.get_running_loop().call_soon(inner.go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert inner.items[-5:] == talk()[-5:]
        assert len(inner.items) < len(talk())

    asyncio.run(run())
