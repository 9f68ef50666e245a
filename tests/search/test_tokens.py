"""Words as the index knows them, whatever script they are written in."""

from windowpane.search.tokens import asked_tokens, parts_of, plain, stems, tokens


def test_case_and_accents_do_not_count() -> None:
    assert tokens("Naïve CAFÉ, résumé") == ["naive", "cafe", "resume"]
    assert tokens("Müller \ufb01ne \uff21\uff22") == ["muller", "fine", "ab"]


def test_identifiers_and_paths_are_found_by_their_words() -> None:
    assert tokens("max_trim_attempts src/loop.py") == [
        "max",
        "trim",
        "attempts",
        "src",
        "loop",
        "py",
    ]


def test_names_in_mixed_case_have_parts() -> None:
    assert (
        parts_of("call maxTrimAttempts of XMLHttpRequest") == "max Trim Attempts XML Http Request"
    )
    assert parts_of("nothing Here TO see") == ""


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert tokens("漢字仮名 and x") == ["漢字", "字仮", "仮名", "名", "and", "x"]
    assert asked_tokens("漢字仮名") == ["漢字", "字仮", "仮名"]
    assert asked_tokens("名") == ["名"]


def test_korean_has_spaces_and_keeps_its_words() -> None:
    assert tokens("한국어 문장") == ["한국어", "문장"]


def test_files_in_letters_are_left_out_and_hashes_are_not() -> None:
    blob, digest = "QUJD" * 40, "0f" * 32
    assert tokens(f"see {blob} and {digest}") == ["see", "and", digest]


def test_a_nul_ends_no_text() -> None:
    assert tokens("before\0after") == ["before", "after"]
    assert "\0" not in plain("a\0b")


def test_endings_are_taken_off() -> None:
    assert stems(["running", "runs", "run", "compression", "compress"]) == [
        "run",
        "run",
        "run",
        "compress",
        "compress",
    ]
    assert stems([]) == []


def test_many_words_are_stemmed_in_order() -> None:
    words = [f"word{number}s" for number in range(1200)]
    assert stems(words) == [f"word{number}" for number in range(1200)]
