from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Encoder
from attribution.encoders.probing import scripts_read
from attribution.encoders.registry import ENCODERS, make_encoder
from attribution.encoders.scripts import reads_scripts
from knowledge.errors import SettingsError


def test_the_english_model_does_not_read_chinese_and_the_multilingual_one_reads_both() -> None:
    minilm, multilingual = make_encoder("minilm"), make_encoder("use-multilingual")
    assert minilm.reads("order not found")
    assert not minilm.reads("找不到订单")
    assert not minilm.reads("order 订单不存在")
    assert multilingual.reads("order not found")
    assert multilingual.reads("找不到订单")


def test_a_text_without_letters_is_read_by_nobody() -> None:
    assert not any(make_encoder(name).reads("12 - 13 !") for name in ENCODERS)


def test_a_few_foreign_letters_do_not_hide_a_text() -> None:
    assert reads_scripts("the µ-controller of this device did not answer", {"LATIN"})


@pytest.mark.parametrize("name", ["packaged", "fake"])
def test_rows_are_unit_vectors_in_the_order_of_the_texts(name: str, request: pytest.FixtureRequest) -> None:
    encoders: tuple[Encoder, ...] = (
        (HashingEncoder(),) if name == "fake" else request.getfixturevalue("default_encoders")
    )
    for encoder in encoders:
        rows = encoder.encode(["order not found", "balance too low", "order not found"])
        assert rows.shape == (3, encoder.dimension)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        assert np.allclose(rows[0], rows[2], atol=1e-5)
        assert rows[0] @ rows[1] < 0.8
        assert encoder.encode([]).shape == (0, encoder.dimension)


def test_the_multilingual_model_tells_chinese_texts_apart_and_knows_their_english(
    default_encoders: tuple[Encoder, ...],
) -> None:
    rows = default_encoders[1].encode(["余额不足", "找不到订单", "insufficient balance"])
    assert rows[0] @ rows[2] > 0.6 > rows[0] @ rows[1]


def test_an_unknown_encoder_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(SettingsError, match="minilm, use-multilingual, hash"):
        make_encoder("minilmm")


def test_a_model_folder_gets_an_id_that_changes_with_its_content(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    first = make_encoder(str(tmp_path)).id
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert make_encoder(str(tmp_path)).id != first
    assert first.startswith(tmp_path.name)


def test_other_weights_of_the_same_size_are_another_encoder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(bytes(300_000))
    first = make_encoder(str(tmp_path)).id
    (tmp_path / "model.safetensors").write_bytes(bytes(299_999) + b"x")
    assert make_encoder(str(tmp_path)).id != first


def test_which_scripts_a_model_reads_is_found_out_by_trying_it(default_encoders: tuple[Encoder, ...]) -> None:
    english, multilingual = default_encoders
    assert scripts_read(english.encode) == ("LATIN",)
    assert {"LATIN", "CJK", "HANGUL", "CYRILLIC", "ARABIC", "KATAKANA"} <= set(
        scripts_read(multilingual.encode)
    )
    assert scripts_read(lambda texts: np.tile(np.eye(1, 8, dtype=np.float32), (len(texts), 1))) == ()


def test_a_device_that_is_not_there_is_a_settings_error_that_names_it() -> None:
    encoder = make_encoder("minilm", device="xpu")
    with pytest.raises(SettingsError, match="device 'xpu' cannot be used"):
        encoder.encode(["order not found"])


def test_a_folder_that_holds_no_model_is_a_settings_error_at_first_use(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    encoder = make_encoder(str(tmp_path))
    with pytest.raises(SettingsError, match="no sentence-transformers model"):
        encoder.encode(["text"])
