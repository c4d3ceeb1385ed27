"""Cues: the words around a number without which nobody states such a thing, and the columns that hold one."""

from __future__ import annotations

import re

SAYS_BELOW = re.compile(
    r"(?i)\b(?:refund\w*|credit(?:ed)?|rebate|discount\w*|decreas\w*|declin\w*|drop(?:s|ped)?|f[ae]ll(?:en|s)?|lost|los[es]s?"
    r"|down|below|minus|negative|reduc\w*|lower\w*|less|deficit|shortfall|overdra\w+|owed?|sav(?:e[ds]?|ings?)|spen[dt]\w*"
    r"|withdr\w+|debit\w*|paid|paying|expenses?|outflow\w*|used|outgoing)\b"
)
"""Words that put a minus sign: a tool's -2571 is a refund of 2571, or what was spent."""

SAYS_UP = re.compile(r"(?i)\b(?:up|ros[et]|risen?|rising|increas\w*|gain\w*|gr[eo]w\w*|climb\w*|higher|added)\b")
SAYS_DOWN = re.compile(
    r"(?i)\b(?:down|f[ae]ll(?:en|s)?|decreas\w*|drop(?:s|ped)?|declin\w*|lower|shr[aiu]nk\w*|lost)\b"
)
"""Words that say which way a change went."""

SAYS_MEAN = re.compile(
    r"(?i)\b(?:average[sd]?|averaging|mean|avg|per|each|typical(?:ly)?|moyenne|durchschnitt\w*|mittel\w*|media|promedio)\b"
)
SAYS_DIFFERENCE = re.compile(
    r"(?i)\b(?:differen\w+|more|less|than|cheaper|higher|lower|sav(?:e[ds]?|ings?)|extra|additional\w*|left|remain\w*|free"
    r"|unused|available|gap|over|under|excess|short|refund\w*|up|down|net|chang\w+|differenz|mehr|weniger|écart|diferencia)\b"
)
SAYS_SHARE = re.compile(
    r"(?i)\b(?:of|shares?|rates?|ratio|margin|us(?:ed?|age|es)|full|free|left|remain\w*|utili[sz]\w*|occup\w*|complet\w*"
    r"|portion|proportion|percentage|unused|available|success\w*|fail\w*|pass\w*|cover\w*|capacity|anteil|quote)\b"
)
SAYS_TIMES = re.compile(
    r"(?i)\b(?:times|ratio|factor|fold|twice|as (?:much|many|large|big)|multiple|verhältnis)\b|\b\d[\d.]*x\b"
)
SAYS_TOTAL = re.compile(
    r"(?i)\b(?:total\w*|sums?|together|altogether|combined|overall|in all|both|all|gross|subtotal|insgesamt|gesamt\w*"
    r"|summe|somme|totale)\b"
)

SAYS_NAME = re.compile(
    r"(?i)(?:\b(?:(?:pins?|codes?|number|ids?)(?:\s+is)?|no\.|nr\.|flights?|errors?|invoices?|rooms?|pages?|orders?|tickets?"
    r"|ports?|lines?|version|gates?|seats?|bus|train|route|channel|extension|box|suite|apartment|unit|building|chapter|section"
    r"|issue)(?:\s+(?:no\.|number|id))?\s*:?\s*|#)$"
)
"""Words right ahead of a number that make it a name, which adds up to nothing."""

SIZE_COLUMNS = frozenset(
    {
        "size",
        "bytes",
        "byte",
        "memory",
        "mem",
        "disk",
        "storage",
        "capacity",
        "used",
        "free",
        "total",
        "available",
        "quota",
    }
    | {"length", "limit", "usage", "space", "volume"}
)
SHARE_COLUMNS = frozenset(
    {"rate", "ratio", "share", "percent", "percentage", "pct", "fraction", "proportion", "margin", "growth", "yield"}
)
TIME_COLUMNS = frozenset(
    {
        "at",
        "time",
        "ts",
        "date",
        "created",
        "updated",
        "timestamp",
        "epoch",
        "expires",
        "since",
        "modified",
        "when",
        "on",
    }
)
"""Words of columns whose bare numbers are bytes, shares, or moments in seconds since 1970."""
