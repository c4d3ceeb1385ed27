"""Units: how they are spelled, what they measure, and what scales a number."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

ISO_CURRENCIES = (
    "AED AFN AMD AOA ARS AUD AZN BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY CRC CVE "
    "CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK "
    "JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR "
    "MZN NAD NGN NIO NOK NPR NZD OMR PAB PGK PHP PKR PLN PYG QAR RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SRD SSP "
    "STN SVC SYP SZL THB TJS TMT TND TTD TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
)
"""ISO 4217 codes, apart, but for those that are English words or names in capitals (`ALL 500`, `TOP 10`, `TRY 3`)."""

CURRENCY_CODES = ISO_CURRENCIES.replace(" ", "|")
"""The codes that make a number money, as alternatives of a pattern."""

SCALES: dict[str, int] = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mm": 6,
    "mn": 6,
    "million": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "trillion": 12,
}
"""Words and letters that scale a number, as powers of ten."""

UNITS: dict[str, tuple[str, ...]] = {
    "%": ("%", "percent", "per cent", "pct"),
    "bps": ("bps", "basis point", "basis points"),
    "percentage points": ("percentage point", "percentage points"),
    "usd": ("$", "us$", "dollar", "dollars"),
    "eur": ("€", "euro", "euros"),
    "gbp": ("£",),
    "jpy": ("yen",),
    "inr": ("₹", "rupee", "rupees"),
    "cad": ("c$", "ca$"),
    "aud": ("a$", "au$"),
    "nzd": ("nz$",),
    "hkd": ("hk$",),
    "sgd": ("s$", "sg$"),
    "mxn": ("mx$",),
    "brl": ("r$",),
    "yen or yuan": ("¥",),
    "bytes": ("byte", "bytes"),
    "kb": ("kb", "kib"),
    "mb": ("mb", "mib"),
    "gb": ("gb", "gib"),
    "tb": ("tb", "tib"),
    "pb": ("pb", "pib"),
    "kbps": ("kbps", "kbit/s"),
    "mbps": ("mbps", "mbit/s"),
    "gbps": ("gbps", "gbit/s"),
    "kb/s": ("kb/s",),
    "mb/s": ("mb/s",),
    "gb/s": ("gb/s",),
    "ns": ("ns", "nanosecond", "nanoseconds"),
    "µs": ("us", "μs", "microsecond", "microseconds"),
    "ms": ("ms", "msec", "millisecond", "milliseconds"),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "days": ("day", "days"),
    "weeks": ("week", "weeks"),
    "mm": ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
    "cm": ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
    "metres": ("metre", "metres", "meter", "meters"),
    "km": ("km", "kilometre", "kilometres", "kilometer", "kilometers"),
    "miles": ("mi", "mile", "miles"),
    "feet": ("ft", "feet", "foot"),
    "inches": ("inch", "inches"),
    "μg": ("μg", "mcg", "microgram", "micrograms"),
    "mg": ("mg", "milligram", "milligrams"),
    "mg/dl": ("mg/dl",),
    "mmol/l": ("mmol/l",),
    "grams": ("gram", "grams"),
    "kg": ("kg", "kilogram", "kilograms", "kilo", "kilos"),
    "tonnes": ("tonne", "tonnes"),
    "lb": ("lb", "lbs"),
    "oz": ("oz", "ounce", "ounces"),
    "pounds": ("pound", "pounds"),
    "°c": ("°c", "℃", "degrees celsius"),
    "°f": ("°f", "℉", "degrees fahrenheit"),
    "ml": ("ml", "millilitre", "millilitres", "milliliter", "milliliters"),
    "litres": ("litre", "litres", "liter", "liters"),
    "km/h": ("km/h", "kph", "kmh"),
    "mph": ("mph",),
    "w": ("w", "watt", "watts"),
    "kw": ("kw", "kilowatt", "kilowatts"),
    "mw": ("mw", "megawatt", "megawatts"),
    "wh": ("wh", "watt hour", "watt hours"),
    "kwh": ("kwh", "kilowatt hour", "kilowatt hours"),
    "cal": ("cal",),
    "kcal": ("kcal",),
    "mv": ("mv", "millivolt", "millivolts"),
    "v": ("v", "volt", "volts"),
    "kv": ("kv", "kilovolt", "kilovolts"),
    "ma": ("ma", "milliampere", "milliamperes", "milliamp", "milliamps"),
    "amperes": ("ampere", "amperes", "amps"),
    "hz": ("hz", "hertz"),
    "khz": ("khz", "kilohertz"),
    "mhz": ("mhz", "megahertz"),
    "ghz": ("ghz", "gigahertz"),
    "pa": ("pa", "pascal", "pascals"),
    "hpa": ("hpa",),
    "kpa": ("kpa",),
    "bar": ("bar",),
    "psi": ("psi",),
}
"""Units by canonical name. ¥ is yen or yuan and says neither; a pound alone is money or mass and says neither."""

CASED = frozenset({"us", "mi", "W", "MW", "V", "mV", "mA", "Pa", "kB/s", "KB/s", "MB/s", "GB/s"})
"""Spellings that are a unit in these letters only: `mW` is not `MW`, `Mb/s` are bits, and `PA` is a place."""

_CASED_FOLDED = frozenset(spelling.casefold() for spelling in CASED)

for _code in ISO_CURRENCIES.lower().split():
    UNITS[_code] = (*UNITS.get(_code, ()), _code)

UNIT_OF: dict[str, str] = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings}

_CODES_IN_ANY_CASE = frozenset({"usd", "eur", "gbp", "jpy", "inr", "chf"})
_CODES = frozenset(ISO_CURRENCIES.lower().split()) - _CODES_IN_ANY_CASE

IN_ANY_CASE = frozenset(
    spelling
    for spelling in UNIT_OF
    if len(spelling) > 1 and spelling[0].isalpha() and "$" not in spelling and spelling not in _CODES | _CASED_FOLDED
)
"""The spellings in letters that are a unit apart from its number, in either case. One letter is prose too (`5 m`)."""


def glued_unit(letters: str) -> str | None:
    """Return the unit that letters right behind a number spell, if they spell one."""
    folded = letters.casefold()
    return UNIT_OF.get(folded) if letters in CASED or folded not in _CASED_FOLDED else None


DIMENSIONS: dict[str, tuple[str, Decimal]] = {
    "%": ("fraction", Decimal("0.01")),
    "bps": ("fraction", Decimal("0.0001")),
    "bytes": ("bytes", Decimal(1)),
    "kb": ("bytes", Decimal(1000)),
    "mb": ("bytes", Decimal(1000) ** 2),
    "gb": ("bytes", Decimal(1000) ** 3),
    "tb": ("bytes", Decimal(1000) ** 4),
    "pb": ("bytes", Decimal(1000) ** 5),
    "kbps": ("bits per second", Decimal(1000)),
    "mbps": ("bits per second", Decimal(1000) ** 2),
    "gbps": ("bits per second", Decimal(1000) ** 3),
    "kb/s": ("bytes per second", Decimal(1000)),
    "mb/s": ("bytes per second", Decimal(1000) ** 2),
    "gb/s": ("bytes per second", Decimal(1000) ** 3),
    "ns": ("seconds", Decimal("1e-9")),
    "µs": ("seconds", Decimal("1e-6")),
    "ms": ("seconds", Decimal("0.001")),
    "s": ("seconds", Decimal(1)),
    "min": ("seconds", Decimal(60)),
    "h": ("seconds", Decimal(3600)),
    "days": ("seconds", Decimal(86_400)),
    "weeks": ("seconds", Decimal(604_800)),
    "mm": ("metres", Decimal("0.001")),
    "cm": ("metres", Decimal("0.01")),
    "metres": ("metres", Decimal(1)),
    "km": ("metres", Decimal(1000)),
    "miles": ("metres", Decimal("1609.344")),
    "feet": ("metres", Decimal("0.3048")),
    "inches": ("metres", Decimal("0.0254")),
    "μg": ("grams", Decimal("0.000001")),
    "mg": ("grams", Decimal("0.001")),
    "grams": ("grams", Decimal(1)),
    "kg": ("grams", Decimal(1000)),
    "tonnes": ("grams", Decimal(1_000_000)),
    "lb": ("grams", Decimal("453.59237")),
    "oz": ("grams", Decimal("28.349523125")),
    "ml": ("litres", Decimal("0.001")),
    "litres": ("litres", Decimal(1)),
    "km/h": ("metres per second", Decimal(1000) / 3600),
    "mph": ("metres per second", Decimal("0.44704")),
    "w": ("watts", Decimal(1)),
    "kw": ("watts", Decimal(1000)),
    "mw": ("watts", Decimal(1000) ** 2),
    "wh": ("joules", Decimal(3600)),
    "kwh": ("joules", Decimal(3_600_000)),
    "cal": ("joules", Decimal("4.184")),
    "kcal": ("joules", Decimal(4184)),
    "mv": ("volts", Decimal("0.001")),
    "v": ("volts", Decimal(1)),
    "kv": ("volts", Decimal(1000)),
    "ma": ("amperes", Decimal("0.001")),
    "amperes": ("amperes", Decimal(1)),
    "hz": ("hertz", Decimal(1)),
    "khz": ("hertz", Decimal(1000)),
    "mhz": ("hertz", Decimal(1000) ** 2),
    "ghz": ("hertz", Decimal(1000) ** 3),
    "pa": ("pascals", Decimal(1)),
    "hpa": ("pascals", Decimal(100)),
    "kpa": ("pascals", Decimal(1000)),
    "bar": ("pascals", Decimal(100_000)),
    "psi": ("pascals", Decimal("6894.757293168")),
}
"""For each unit that can be converted: what it measures, and how many of that dimension's base unit it is.

Bytes are by 1000; by 1024 is for who compares to try. Temperatures are not converted by a factor and are left out,
as are pounds, which are money or mass.
"""

_SHARES = frozenset({"%", "bps", "percentage points"})
_CURRENCIES = frozenset({*ISO_CURRENCIES.lower().split(), "yen or yuan"})


def kind_of_unit(unit: str) -> Literal["percent", "money", "duration", "quantity"]:
    """Return what a number with this unit is."""
    if unit in _SHARES:
        return "percent"
    if unit in _CURRENCIES:
        return "money"
    return "duration" if DIMENSIONS.get(unit, ("",))[0] == "seconds" else "quantity"
