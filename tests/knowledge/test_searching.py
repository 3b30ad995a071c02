"""The contract of text search: the same texts are found on every engine, Chinese and English alike."""

from __future__ import annotations

import pytest

from knowledge.kinds import CASES, ROOT_CAUSES, STRATEGIES
from knowledge.store import Query, Store
from tests.knowledge.making import case, strategy

TEXTS = {
    "zh-order": "系统查不到订单 W1234567，请稍后再试。",
    "zh-user": "用户查到了别人的订单，但是不到时间",
    "zh-mixed": "调用get_order_details失败：订单号#W1234567不存在",
    "en-order": "Order #W1234567 not found",
    "en-user": "User not found: the order is unknown",
    "en-path": "cannot open /var/log/app-1.log (errno=13)",
    "en-quote": "It's the customer's \"last\" order; don't e-mail foo_bar@example.com",
    "accents": "Café größer naïve ÅNGSTRÖM İstanbul",
    "wide": "ＦＵＬＬ　ｗｉｄｔｈ １２３ ﾊﾝｶｸ",
    "kana": "注文が見つかりません エラー",
    "hangul": "주문을 찾을 수 없습니다",
    "numbers": "3.14 1,000 v2.0.1 2026-03-01T12:00Z 10%",
    "emoji": "failed 🙂🙂 again 👩‍🔧",
    "astral": "\U00020bb7野家 𝒙",
    "marks": "हिन्दी ภาษาไทย שָׁלוֹם",
    "long": "x" * 250 + "y",
    "empty": "",
}

SEARCHES = [
    ("查不到", ["zh-order"]),
    ("不到", ["zh-order", "zh-user"]),
    ("订单", ["zh-mixed", "zh-order", "zh-user"]),
    ("单订", []),
    ("订单 查不到", ["zh-order"]),
    ("查不到 订单", ["zh-order"]),
    ("订单 查到", ["zh-user"]),
    ("查不到订单", ["zh-order"]),
    ("订单，请", []),
    ("W1234567，请稍", ["zh-order"]),
    ("订", ["zh-mixed", "zh-order", "zh-user"]),
    ("w1234567", ["en-order", "zh-mixed", "zh-order"]),
    ("#W1234567", ["en-order", "zh-mixed", "zh-order"]),
    ("W123456", []),
    ("1234567", []),
    ("not found", ["en-order", "en-user"]),
    ("found not", ["en-order", "en-user"]),
    ("not-found", ["en-order", "en-user"]),
    ("found-not", []),
    ("order found", ["en-order", "en-user"]),
    ("ORDER", ["en-order", "en-quote", "en-user", "zh-mixed"]),
    ("orders", []),
    ("get_order_details", ["zh-mixed"]),
    ("order_details", ["zh-mixed"]),
    ("details_order", []),
    ("get_order_details失败", ["zh-mixed"]),
    ("/var/log", ["en-path"]),
    ("log/var", []),
    ("app-1.log", ["en-path"]),
    ("errno=13", ["en-path"]),
    ("errno 13 (", ["en-path"]),
    ("it's", ["en-quote"]),
    ('"last"', ["en-quote"]),
    ("don't", ["en-quote"]),
    ("don", ["en-quote"]),
    ("foo_bar@example.com", ["en-quote"]),
    ("example", ["en-quote"]),
    ("café", ["accents"]),
    ("CAFE\u0301", ["accents"]),
    ("cafe", []),
    ("GRÖSSER", ["accents"]),
    ("ångström", ["accents"]),
    ("full", ["wide"]),
    ("full width 123", ["wide"]),
    ("ハンカク", ["wide"]),
    ("見つかり", ["kana"]),
    ("エラー", ["kana"]),
    ("찾을 주문을", ["hangul"]),
    ("주문", []),
    ("3.14", ["numbers"]),
    ("3,14", ["numbers"]),
    ("2026-03-01t12:00z", ["numbers"]),
    ("2026-03-01", []),
    ("2026-03", ["numbers"]),
    ("03-2026", []),
    ("again", ["emoji"]),
    ("failed-again", ["emoji"]),
    ("🙂", []),
    ("again 🙂", ["emoji"]),
    ("\U00020bb7", ["astral"]),
    ("野家", ["astral"]),
    ("X", ["astral"]),
    ("हिन्दी", ["marks"]),
    ("ภาษาไทย", ["marks"]),
    ("x" * 250 + "y", ["long"]),
    ("x" * 100, ["long"]),
    ("x" * 250, []),
    ("!!! ???", []),
    ("AND", []),
    ("NOT found", ["en-order", "en-user"]),
    ("order*", ["en-order", "en-quote", "en-user", "zh-mixed"]),
    ('order" OR "user', []),
    ("error_message:order", []),
    ("\x00", []),
    ("order\x00is", ["en-user"]),
    ("", sorted(TEXTS)),
    (" \t\n　", sorted(TEXTS)),
]


def test_texts_are_found_by_their_words_and_phrases(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(
        case(name, error_message=text, error_pattern="", user_intent="") for name, text in TEXTS.items()
    )
    found = {
        said: sorted(stored.item.case_id for stored in collection.find(Query(text=said), 100).items)
        for said, _ in SEARCHES
    }
    assert found == dict(SEARCHES)


def test_words_may_stand_in_different_fields_but_a_phrase_stands_in_one(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many([case("a", error_message="订单查", error_pattern="不到", user_intent="refund")])
    found = [len(collection.find(Query(text=said)).items) for said in ("订单 不到", "refund 查", "查不到")]
    assert found == [1, 1, 0]


def test_a_text_narrows_what_the_other_conditions_find(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(
        [case("a", run_id="r1"), case("b", run_id="r2"), case("c", error_message="", error_pattern="x")]
    )
    assert [tally.value for tally in collection.tally(Query(text="not-found"), "run_id")] == ["r1", "r2"]
    narrowed = collection.find(Query(text="not-found", where={"run_id": "r2"}))
    assert [stored.item.case_id for stored in narrowed.items] == ["b"]


def test_as_many_words_as_are_allowed_can_be_asked_for(store: Store) -> None:
    collection = store.collection("p", CASES)
    words = " ".join(f"w{n}" for n in range(100))
    collection.add_many([case("a", error_message=words), case("b", error_message=words[:-3])])
    assert [stored.item.case_id for stored in collection.find(Query(text=words)).items] == ["a"]
    assert [stored.item.case_id for stored in collection.find(Query(text="订" * 100)).items] == []


@pytest.mark.parametrize("said", ["by hand", "key"])
def test_a_kind_without_texts_holds_no_word(store: Store, said: str) -> None:
    collection = store.collection("p", STRATEGIES)
    collection.put(strategy("ST-0001"), None)
    assert collection.find(Query(text=said)).items == ()
    assert len(collection.find(Query(text=" ")).items) == 1


def test_root_causes_are_found_in_both_languages(store: Store) -> None:
    cause = ROOT_CAUSES.model(
        cause_id="RC-1",
        name="Unknown id",
        name_zh="编号不存在",
        statement="The agent made it up",
        error_codes=("tool.error", "args.fabricated"),
    )
    collection = store.collection("p", ROOT_CAUSES)
    collection.put(cause, None)
    for query in (Query(text="编号 made"), Query(where={"error_codes": "args.fabricated", "enabled": True})):
        assert len(collection.find(query).items) == 1


ALIKE = [
    ("查不到", ["en-order", "en-user", "zh-mixed", "zh-order"]),
    ("not found", ["en-order", "en-user", "zh-mixed", "zh-order"]),
    ("订单查不到了", ["zh-mixed", "zh-order"]),
    ("order NOT  FOUND", ["en-order", "en-user", "zh-mixed"]),
    ("为什么找不到 W1234567", ["en-order", "zh-mixed", "zh-order"]),
    ("does not exist", ["en-order", "en-user", "zh-mixed", "zh-order"]),
    ("失败", ["emoji", "zh-mixed"]),
    ("error 🙂", ["emoji", "zh-mixed"]),
    ("order", ["en-order", "en-quote", "en-user", "zh-mixed"]),
    ("到不查", []),
]


def test_words_of_failure_find_all_that_mean_the_same(store: Store) -> None:
    collection = store.collection("p", CASES)
    collection.add_many(
        case(name, error_message=text, error_pattern="", user_intent="") for name, text in TEXTS.items()
    )
    found = {
        said: sorted(
            stored.item.case_id for stored in collection.find(Query(text=said, alike=True), 100).items
        )
        for said, _ in ALIKE
    }
    assert found == dict(ALIKE)


def test_a_text_of_fillers_alone_finds_nothing(store: Store) -> None:
    collection = store.collection("shop", CASES)
    collection.add_many([case("one", error_message="为什么的")])
    assert not collection.find(Query(text="为什么", alike=True)).items
    assert collection.find(Query(text="为什么")).items
