"""Which scripts a model reads, found out by trying it: texts of one script that say different things must not come out alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from attribution.encoders.port import Vectors

BLURRED = 0.3
"""How much nearer to each other, of what is left to 1, unrelated sentences of a script may be than in the script that the model
knows best. Models differ in how near all sentences are; the packaged English model is at 0.5 and more for all but Latin."""
ONE_TEXT = 0.99

SAMPLES: dict[str, tuple[str, ...]] = {
    "LATIN": (
        "the order was not found",
        "the battery of the lamp is empty",
        "two passengers missed the ferry",
        "a password is too short",
        "the printer ran out of paper",
        "rain is expected in the afternoon",
    ),
    "CJK": (
        "没有找到该订单",
        "台灯的电池没电了",
        "两名乘客错过了渡轮",
        "密码太短",
        "打印机缺纸",
        "预计下午有雨",
    ),
    "HIRAGANA": (
        "ごちゅうもんがみつかりません",
        "でんちがきれています",
        "ふねにのりおくれました",
        "あいことばがみじかすぎます",
        "かみがありません",
        "ごごはあめでしょう",
    ),
    "HANGUL": (
        "주문을 찾을 수 없습니다",
        "램프의 배터리가 없습니다",
        "승객 두 명이 배를 놓쳤습니다",
        "비밀번호가 너무 짧습니다",
        "프린터에 종이가 없습니다",
        "오후에 비가 예상됩니다",
    ),
    "CYRILLIC": (
        "заказ не найден",
        "батарея лампы разряжена",
        "два пассажира опоздали на паром",
        "пароль слишком короткий",
        "в принтере закончилась бумага",
        "днём ожидается дождь",
    ),
    "ARABIC": (
        "لم يتم العثور على الطلب",
        "بطارية المصباح فارغة",
        "فات المسافرين موعد العبارة",
        "كلمة المرور قصيرة جدا",
        "نفد الورق من الطابعة",
        "من المتوقع هطول المطر بعد الظهر",
    ),
}
_WITH = {"HIRAGANA": ("KATAKANA",)}
"""Scripts that come with another."""


def scripts_read(encode: Callable[[Sequence[str]], Vectors]) -> tuple[str, ...]:
    """The scripts whose samples the model tells apart nearly as well as those that it knows best; none where it tells no
    texts apart at all."""
    means = {script: _mean_cosine(encode(texts)) for script, texts in SAMPLES.items()}
    best = min(means.values())
    if best >= ONE_TEXT:
        return ()
    read = [script for script, mean in means.items() if mean - best <= BLURRED * (1.0 - best)]
    return tuple(sorted({*read, *(also for script in read for also in _WITH.get(script, ()))}))


def _mean_cosine(rows: Vectors) -> float:
    left, right = np.triu_indices(len(rows), 1)
    return float(np.mean((rows @ rows.T)[left, right]))
