"""A shop's month with seventeen planted faults over as many tools, English and Chinese, among noise and calls that work.

Everything follows from a seed. `shuffled` deals the outcomes of each tool's calls out anew, so that nothing is left to find.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from errata_client.run import Run
from tests.strategies.shop import Call, failed, run, worked

FINE = 36
FAULTY = 9
NOISE = (
    "Error: internal failure in {}",
    "Error: quota of {} used up for today, ask again tomorrow",
    "错误：内部故障 {}",
)

Scene = tuple[str, str, tuple[Call, ...]]
"""The run's name, what the person said, the calls."""


@dataclass(frozen=True)
class Fault:
    """A planted fault: the tool that shows it, the synthesiser that should find it, and how a run goes with and without."""

    tool: str
    synthesiser: str
    make: Callable[[random.Random, bool], tuple[str, tuple[Call, ...]]]


def scenes(seed: int) -> list[Scene]:
    """All runs of the month, in a random order."""
    chance = random.Random(seed)
    found = [
        (f"{fault.tool}-{fault.synthesiser}-{number}", *fault.make(chance, number < FAULTY))
        for fault in FAULTS
        for number in range(FINE + FAULTY)
    ]
    found += [_noise(chance, number) for number in range(3 * len(FAULTS))]
    chance.shuffle(found)
    return found


def runs(seed: int) -> Iterator[Run]:
    """The month, faults and all."""
    return (run(name, said, *calls) for name, said, calls in scenes(seed))


def shuffled(seed: int) -> Iterator[Run]:
    """The same calls, with the outcomes of each tool dealt out anew among all its calls."""
    found = scenes(seed)
    outcomes: dict[str, list[tuple[object, str | None, bool]]] = defaultdict(list)
    for _, _, calls in found:
        for call in calls:
            outcomes[call.tool].append((call.result, call.error, call.spoils))
    chance = random.Random(seed + 1)
    for dealt in outcomes.values():
        chance.shuffle(dealt)
    for name, said, calls in found:
        yield run(name, said, *(_dealt(call, *outcomes[call.tool].pop()) for call in calls))


def _dealt(call: Call, result: object, error: str | None, spoils: bool = False) -> Call:
    return call._replace(result=result, error=error, spoils=spoils)


def _noise(chance: random.Random, number: int) -> Scene:
    """A call of some tool that fails for no reason that its arguments show."""
    fault = FAULTS[number % len(FAULTS)]
    said, calls = fault.make(chance, False)
    error = NOISE[number % len(NOISE)].format("".join(chance.choices("abcdefgh", k=6)))
    return f"noise-{number}", said, (*calls[:-1], _dealt(calls[-1], None, error))


def _digits(chance: random.Random, count: int = 7) -> str:
    return str(chance.randrange(10 ** (count - 1), 10**count))


def _prefix(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    bare = _digits(chance)
    fine = worked("get_order", {"order_id": f"#W{bare}"}, {"order_id": f"#W{bare}"})
    wrong = failed("get_order", {"order_id": bare}, "Error: order not found")
    return f"where is order {bare}?", (wrong, fine) if bad else (fine,)


def _date(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    day = f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
    place = f"P{_digits(chance, 5)}"
    fine = worked("book_table", {"day": day, "place": place})
    wrong = failed("book_table", {"day": day.replace("-", "/"), "place": place}, "错误：日期格式不正确")
    return f"请在 {day} 预订 {place} 的座位，谢谢", (wrong, fine) if bad else (fine,)


def _padding(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    short = _digits(chance, 5)
    fine = worked("get_member", {"member": f"00{short}"}, {"level": chance.choice(("gold", "basic"))})
    wrong = failed("get_member", {"member": short}, "Error: no such member")
    return f"I am member 00{short}, or {short}", (wrong, fine) if bad else (fine,)


def _spelling(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    seat = f"S{_digits(chance, 5)}"
    cabin = "basic_economy" if bad else chance.choice(("basic_economy", "economy", "business"))
    fine = worked("set_cabin", {"cabin": cabin, "seat": seat})
    wrong = failed("set_cabin", {"cabin": "Basic Economy", "seat": seat}, "Error: unknown cabin")
    return f"{cabin.replace('_', ' ')} for {seat}", (wrong, fine) if bad else (fine,)


def _cast(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    item, count = f"I{_digits(chance)}", chance.randrange(2, 9)
    fine = worked("add_item", {"item": item, "count": count})
    wrong = failed(
        "add_item", {"item": item, "count": str(count)}, "TypeError: '<' not supported between str and int"
    )
    return f"{count} of {item}", (wrong, fine) if bad else (fine,)


def _renamed(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    parcel = f"T{_digits(chance)}"
    error = "TypeError: ship() got an unexpected keyword argument 'parcelId'"
    fine = worked("ship_parcel", {"parcel_id": parcel})
    wrong = failed("ship_parcel", {"parcelId": parcel}, error)
    return f"send {parcel}", (wrong, fine) if bad else (fine,)


def _too_many(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    order = f"R{_digits(chance)}"
    fine = worked("refund", {"refund_id": order})
    wrong = failed(
        "refund",
        {"refund_id": order, "comment": "as agreed"},
        "Error: Extra inputs are not permitted: comment",
    )
    return f"refund {order} as agreed", (wrong, fine) if bad else (fine,)


def _default(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    account = f"A{_digits(chance)}"
    fine = worked("open_ticket", {"account": account, "channel": "chat"})
    wrong = failed("open_ticket", {"account": account}, "错误：缺少参数 channel")
    return f"请为账户 {account} 创建工单", (wrong, fine) if bad else (fine,)


def _amount(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    total, short, item = chance.randrange(200, 900), chance.randrange(10, 90), f"B{_digits(chance)}"
    first = chance.randrange(20, 90)

    def paid(last: int) -> dict[str, Any]:
        payments = [{"by": f"gift_card_{_digits(chance, 4)}", "amount": first}] if total % 2 else []
        return {"item": item, "payments": [*payments, {"by": "credit_card_7", "amount": last}]}

    right = paid(total - first if total % 2 else total)
    last = right["payments"][-1]
    wrong = {**right, "payments": [*right["payments"][:-1], {**last, "amount": last["amount"] - short}]}
    error = f"Error: payments do not add up, total price is {total}, but paid {total - short}"
    fine = worked("pay", right)
    said = f"pay {item} with {' and '.join(payment['by'] for payment in right['payments'])}"
    return said, (failed("pay", wrong, error), fine) if bad else (fine,)


def _status(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    order = f"订{_digits(chance)}"
    status = chance.choice(("已发货", "已签收")) if bad else "待发货"
    looked = worked("find_purchase", {"purchase_id": order}, {"purchase_id": order, "status": status})
    arguments = {"purchase_id": order}
    last = (
        failed("cancel", arguments, "错误：只有待发货的订单可以取消") if bad else worked("cancel", arguments)
    )
    return f"请取消订单 {order}", (looked, last)


def _lengths(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    old = [_digits(chance) for _ in range(chance.randrange(2, 5))]
    new = [_digits(chance) for _ in old]
    said = f"{' '.join(old)} for {' '.join(new)}"
    if bad:
        return said, (failed("swap_items", {"old": old, "new": new[1:]}, "Error: the lists must match"),)
    return said, (worked("swap_items", {"old": old, "new": new}),)


def _guess(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    user = f"user_{_digits(chance)}"
    if bad:
        return "我的包裹在哪里？请帮我查询物流", (failed("get_user", {"user_id": user}, "错误：用户不存在"),)
    return f"我是用户 {user}", (worked("get_user", {"user_id": user}, {"user_id": user}),)


def _first(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    account = f"K{_digits(chance)}"
    close = {"account": account}
    verify = worked("verify_identity", {"account": account})
    fine = (verify, worked("close_account", close))
    wrong = failed("close_account", close, "Error: identity is not verified")
    return f"close {account}", (wrong, *fine) if bad else fine


def _again(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    phone = f"13{_digits(chance, 9)}"
    if bad:
        call = failed("send_code", {"phone": phone}, f"错误：号码 {phone} 已停机")
        return f"我的号码是 {phone}", (call, call, call)
    return f"我的号码是 {phone}", (worked("send_code", {"phone": phone}),)


def _unasked(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    album = {"album": f"M{_digits(chance)}"}
    yes = chance.choice(("yes, please", "Sure, go ahead.", "是的，删除吧", "OK"))
    fine = worked("delete_album", album, said=yes)
    wrong = failed(
        "delete_album", album, "Error: the owner's confirmation is required before an album is deleted"
    )
    return f"please delete album {album['album']}", (wrong, fine) if bad else (fine,)


def _stale(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    loan = f"L{_digits(chance)}"
    state = chance.choice(("expired", "disputed")) if bad else "open"
    looked = worked("find_loan", {"loan": loan}, {"loan": loan, "state": state})
    renewed = worked("renew", {"loan": loan})
    return f"renew {loan}", (looked, renewed._replace(premise="loan.state == open", spoils=bad))


def _down(chance: random.Random, bad: bool) -> tuple[str, tuple[Call, ...]]:
    flight = f"F{_digits(chance, 5)}"
    fine = worked("search_flights", {"flight": flight}, {"flight": flight})
    wrong = failed("search_flights", {"flight": flight}, "错误：503 服务暂时不可用")
    return f"请查询航班 {flight}", (wrong, fine) if bad else (fine,)


FAULTS = (
    Fault("get_order", "argument_rewrite", _prefix),
    Fault("book_table", "argument_rewrite", _date),
    Fault("get_member", "argument_rewrite", _padding),
    Fault("set_cabin", "argument_rewrite", _spelling),
    Fault("add_item", "schema_repair", _cast),
    Fault("ship_parcel", "schema_repair", _renamed),
    Fault("refund", "schema_repair", _too_many),
    Fault("open_ticket", "schema_repair", _default),
    Fault("pay", "derived_amount", _amount),
    Fault("cancel", "precondition", _status),
    Fault("swap_items", "precondition", _lengths),
    Fault("get_user", "ask_for_value", _guess),
    Fault("close_account", "prerequisite", _first),
    Fault("send_code", "loop_breaker", _again),
    Fault("search_flights", "retry", _down),
    Fault("delete_album", "confirm", _unasked),
    Fault("renew", "replan", _stale),
)
