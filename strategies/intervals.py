"""Intervals for shares, their difference and their ratio.

Wilson (1927) for a share; Newcombe (1998), method 10, for a difference of two; Donner and Zou (2012), MOVER-R, for a
ratio of two, each built on the Wilson limits.
"""

from __future__ import annotations

from math import sqrt

from knowledge.effects import Comparison, Rate

Z95 = 1.959964
Z99 = 2.575829


def wilson(count: int, of: int, z: float = Z95) -> Rate:
    """The share `count` of `of` with its interval; of nothing, anything from 0 to 1."""
    if of <= 0:
        return Rate(count=0, of=0, rate=0.0, low=0.0, high=1.0)
    rate, square = count / of, z * z
    middle = (rate + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == of else min(1.0, middle + half)
    return Rate(count=count, of=of, rate=rate, low=low, high=high)


def compared(treated: tuple[int, int], control: tuple[int, int], z: float = Z95) -> Comparison:
    """Two shares (count, of): each, their difference and their ratio, with intervals at `z`."""
    one, other = wilson(*treated, z), wilson(*control, z)
    low, high = difference(one, other)
    changes = _change(one, other)
    return Comparison(
        treated=one,
        control=other,
        difference=one.rate - other.rate,
        difference_low=low,
        difference_high=high,
        change=changes[0] if changes else None,
        change_low=changes[1] if changes else None,
        change_high=changes[2] if changes else None,
    )


def difference(one: Rate, other: Rate) -> tuple[float, float]:
    """The interval of `one` minus `other`."""
    gap = one.rate - other.rate
    down = sqrt((one.rate - one.low) ** 2 + (other.high - other.rate) ** 2)
    up = sqrt((one.high - one.rate) ** 2 + (other.rate - other.low) ** 2)
    return max(-1.0, gap - down), min(1.0, gap + up)


def _change(one: Rate, other: Rate) -> tuple[float, float, float] | None:
    """The ratio minus 1, and its interval; None where there is nothing to divide by."""
    if not other.count:
        return None
    product = one.rate * other.rate
    wide, narrow = other.high * (2 * other.rate - other.high), other.low * (2 * other.rate - other.low)
    least, most = one.low * (2 * one.rate - one.low), one.high * (2 * one.rate - one.high)
    low = _root(product, wide, least, -1)
    high = _root(product, narrow, most, 1)
    return one.rate / other.rate - 1, max(0.0, low) - 1, high - 1


def _root(product: float, square: float, constant: float, sign: int) -> float:
    """The root of square·x² - 2·product·x + constant = 0 on the side of `sign`."""
    if abs(square) < 1e-12:
        return constant / (2 * product) if product else 0.0
    return (product + sign * sqrt(max(0.0, product * product - square * constant))) / square
