from attribution.text import normalised


def test_masks_numbers_quotes_and_the_word_error_say_nothing_about_the_cause() -> None:
    assert normalised("Error: order #W1234567 not found") == "order not found"
    assert normalised("order <id> not found.") == "order not found"
    assert normalised('Error: Error: "Order" not found') == "order not found"
    assert normalised("错误：找不到订单 <id>") == "找不到订单"


def test_a_number_in_a_sentence_leaves_no_hole() -> None:
    assert normalised("total price is 12.50, but paid 11") == "total price is, but paid"
    assert normalised("total price is <number>, but paid <number>") == "total price is, but paid"


def test_a_text_of_placeholders_alone_is_empty() -> None:
    assert normalised("<id> <date>") == ""
    assert normalised("") == ""


def test_a_long_text_is_cut() -> None:
    assert len(normalised("word " * 10_000)) <= 600


def test_a_link_is_left_out_and_its_version_with_it() -> None:
    text = normalised(
        "1 validation error for Payment\nField required; see https://errors.example/2.10/v/missing"
    )
    assert text == "validation error for payment field required; see"


def test_a_name_in_code_says_nothing_about_the_cause_unless_it_is_all_there_is() -> None:
    assert normalised("the value of user_id was given by nobody") == "the value of was given by nobody"
    assert normalised("getOrder was called again") == "was called again"
    assert normalised("insufficient_funds") == "insufficient funds"
    assert normalised("code INSUFFICIENT_FUNDS") == "code insufficient funds"


def test_a_leading_exception_class_or_status_is_left_out() -> None:
    assert normalised("sqlite3.OperationalError: no such column: total") == "no such column: total"
    assert normalised("HTTP 404: Not Found") == "not found"
    assert normalised("503 Service Unavailable") == "service unavailable"
    assert normalised("TimeoutError:") == "timeouterror"
