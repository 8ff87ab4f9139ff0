"""The same word is the same vector, by a recipe that anybody can follow."""

from __future__ import annotations

import hashlib
import tracemalloc

import numpy as np
import pytest

from attnscope.weights.schemes import learned_positions, seeded_embedding, seeded_embeddings
from tests.questions import ask


def test_the_same_word_is_the_same_vector_in_every_sentence() -> None:
    one = seeded_embeddings(["the", "cat", "saw", "the", "dog"], 0, 16)
    two = seeded_embeddings(["the", "dog"], 0, 16)
    np.testing.assert_array_equal(one[0], one[3])
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[4], two[1])
    assert len(np.unique(one, axis=0)) == 4


def test_case_seed_and_script_make_other_vectors() -> None:
    drawn = [seeded_embedding(token, seed, 8) for token in ("the", "The", "猫") for seed in (0, 1)]
    assert len(np.unique(drawn, axis=0)) == 6


def test_the_recipe_can_be_followed_by_hand(subtests: pytest.Subtests) -> None:
    for token, seed in (("cat", 0), ("猫", 0), ("👨‍👩‍👧", 2**53 - 1)):
        with subtests.test(token):
            digest = hashlib.sha256(token.encode("utf-8")).digest()
            words = [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
            sequence = np.random.SeedSequence([seed, 0x656D6265, *words])
            expected = np.random.Generator(np.random.PCG64(sequence)).standard_normal(12)
            np.testing.assert_array_equal(seeded_embedding(token, seed, 12), expected)


@pytest.mark.parametrize(
    ("token", "first"),
    [
        ("The", [0.375943752414668, -0.46352277383361207, 0.4266021839125964, 1.2266047120019592]),
        (
            "猫",
            [-0.43224996531085574, 0.6649324799515206, 0.48027151630108256, 0.48102547994067196],
        ),
    ],
)
def test_the_first_numbers_never_change(token: str, first: list[float]) -> None:
    np.testing.assert_allclose(seeded_embedding(token, 0, 64)[:4], first, rtol=0, atol=1e-12)


def test_a_narrower_embedding_is_the_beginning_of_a_wider_one() -> None:
    np.testing.assert_array_equal(seeded_embedding("a", 0, 64)[:5], seeded_embedding("a", 0, 5))


def test_the_numbers_are_standard_normal() -> None:
    drawn = seeded_embeddings([f"word {i}" for i in range(500)], 3, 128)
    assert abs(drawn.mean()) < 5 / np.sqrt(drawn.size)
    assert abs(drawn.var() - 1) < 5 * np.sqrt(2 / drawn.size)


def test_a_remembered_vector_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        seeded_embedding("a", 0, 4)[0] = 1.0


def test_what_is_remembered_takes_bounded_memory() -> None:
    """Ten requests with wide explicit matrices must not fill the machine."""
    tracemalloc.start()
    try:
        for request in range(10):
            seeded_embeddings([f"{request} {i}" for i in range(10)], 0, 100_000)
        assert tracemalloc.get_traced_memory()[0] < 32 << 20
    finally:
        tracemalloc.stop()


def test_a_table_of_positions_is_that_of_its_recipe_and_grows_at_its_end() -> None:
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence([3, 0x706C6163])))
    table = draw.standard_normal((9, 4))
    np.testing.assert_array_equal(learned_positions(9, 3, 4), table)
    np.testing.assert_array_equal(learned_positions(5, 3, 4), table[:5])
    assert (learned_positions(5, 4, 4) != table[:5]).any()


def test_learned_positions_are_added_to_the_words_of_seeded_and_of_explicit_weights() -> None:
    model = {"source": "seeded", "seed": 3, "d_model": 4, "num_heads": 2, "positions": "learned"}
    trace = ask({"text": "a b a", "model": model})
    expected = seeded_embeddings(["a", "b", "a"], 3, 4) + learned_positions(3, 3, 4)
    np.testing.assert_array_equal(trace.layers[0]["x"][0], expected)
    tensors = {name: array.tolist() for name, array in trace.parameters[0].arrays().items()}
    written = {"source": "explicit", "num_heads": 2, "seed": 3, "positions": "learned", **tensors}
    again = ask({"text": "a b a", "model": written})
    np.testing.assert_array_equal(again.layers[0]["output"], trace.layers[0]["output"])
