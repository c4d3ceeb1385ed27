"""The tools of a shop's support desk: each answers from its arguments alone, with what a real one would say.

Every record is worked out from its number by arithmetic, so that two runs are told the same, and no two records share
an amount, a date or a number by accident where the scenario's answer relies on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_WAREHOUSES = ("Halle 4, Leipzig", "Dock 12, Rotterdam", "Gate 7, Gdansk", "Bay 3, Zaragoza")
_ITEMS = ("desk lamp", "office chair", "monitor arm", "cable tray", "standing mat", "whiteboard")
_STATES = ("delivered", "in transit", "held at customs", "ready for pickup")


@dataclass(frozen=True)
class Tool:
    """A tool that an agent is offered: `parameters` is the JSON schema of the function's arguments."""

    name: str
    description: str
    parameters: dict[str, Any]
    function: Callable[..., str]


def number_of(order: str) -> int:
    """Return what an order's record is worked out from."""
    return int("".join(filter(str.isdigit, order)) or "0")


def amount_of(order: str) -> float:
    """Return what an order cost, in euros: no two of the desk's orders cost the same."""
    return round(60 + (number_of(order) * 7919 % 100_000) / 100, 2)


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)


def find_customer(email: str) -> str:
    """Find a customer by e-mail address."""
    seed = sum(map(ord, email))
    notes = [f"Visit {at}: the customer asked about delivery times and was given the usual window." for at in range(6)]
    return _text(
        {"customer": f"C-{70_000 + seed}", "email": email, "since": "2019-04-11", "tier": "plus", "notes": notes}
    )


def list_orders(customer: str, page: int = 1) -> str:
    """List a customer's orders, one page of five at a time."""
    first = 48_310 + number_of(customer) % 100 + page * 20
    orders = [
        {
            "order": f"A-{first + at}",
            "total": amount_of(f"A-{first + at}"),
            "item": _ITEMS[(first + at) % 6],
            "lines": at + 1,
        }
        for at in range(5)
    ]
    return _text({"customer": customer, "page": page, "orders": orders, "more": page < 3})


def get_order(order: str) -> str:
    """Get one order: what was bought, what it cost, where it ships from."""
    seed = number_of(order)
    lines = [
        {
            "sku": f"SKU-{seed % 1000:03d}-{at}{seed % 7}",
            "item": _ITEMS[(seed + at) % 6],
            "quantity": at + 1,
            "colour": "graphite",
        }
        for at in range(5)
    ]
    placed = f"2026-{seed % 9 + 1:02d}-{seed % 27 + 1:02d}"
    return _text(
        {"order": order, "total": amount_of(order), "placed": placed, "from": _WAREHOUSES[seed % 4], "lines": lines}
    )


def track_parcel(order: str) -> str:
    """Track the parcel of an order."""
    seed = number_of(order)
    scans = [
        {
            "at": f"2026-10-{(seed + at) % 28 + 1:02d}T0{at + 1}:{seed % 50 + 10}:00",
            "where": _WAREHOUSES[(seed + at) % 4],
        }
        for at in range(6)
    ]
    return _text(
        {
            "order": order,
            "tracking": f"TRK{seed * 104_729 % 10_000_000:07d}",
            "state": _STATES[seed % 4],
            "scans": scans,
        }
    )


def get_invoice(order: str) -> str:
    """Get the invoice of an order."""
    seed = number_of(order)
    terms = "Payable within thirty days of receipt; the goods stay ours until then. " * 6
    return _text(
        {"invoice": f"INV-{seed * 3 % 90_000 + 10_000}", "order": order, "gross": amount_of(order), "terms": terms}
    )


def quote_refund(order: str, reason: str) -> str:
    """Quote the refund for an order; the reason is written into it."""
    fee = round(number_of(order) % 97 / 10 + 3.05, 2)
    steps = [f"Step {at}: pack the goods, print the label, hand the parcel over at any counter." for at in range(5)]
    return _text(
        {"order": order, "reason": reason, "refund": round(amount_of(order) - fee, 2), "fee": fee, "steps": steps}
    )


def _schema(**kinds: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": [name for name in kinds if name != "page"]}


def _tool(function: Callable[..., str], **kinds: str) -> Tool:
    return Tool(function.__name__, (function.__doc__ or "").strip(), _schema(**kinds), function)


TOOLS: tuple[Tool, ...] = (
    _tool(find_customer, email="string"),
    _tool(list_orders, customer="string", page="integer"),
    _tool(get_order, order="string"),
    _tool(track_parcel, order="string"),
    _tool(get_invoice, order="string"),
    _tool(quote_refund, order="string", reason="string"),
)
"""What the agent is offered."""
