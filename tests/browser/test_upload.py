"""A weights file, by button and by drop: its numbers are drawn, a bad one loses nothing."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Route, expect
from safetensors.numpy import save

from tests.browser.hands import Explore, address_has, until

DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const target = document.querySelector("main");
  return ["dragenter", "dragover", "drop"].map((type) => {
    const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    return !target.dispatchEvent(event);
  });
}"""
BENEATH = """(below) => {
  const { bottom } = document.querySelector("#options .refusal").getBoundingClientRect();
  return below.map((element) => element.getBoundingClientRect().top >= bottom - 1);
}"""
MODELS = "**/api/v1/models"


def weights_file(width: int = 6, **said: str) -> bytes:
    draw = np.random.default_rng(11)
    tensors = {f"w_{name}": draw.normal(size=(width, 4)) for name in "qkv"}
    return save({**tensors, "w_o": draw.normal(size=(4, width))}, metadata=said)


def drop(explore: Explore, name: str, content: bytes) -> list[bool]:
    """Whether the page takes it: as it is entered, while it is over the page, and once dropped."""
    given = [name, base64.b64encode(content).decode()]
    taken: list[bool] = explore.page.evaluate(DROP, given)
    return taken


def choose(explore: Explore, path: Path) -> None:
    with explore.page.expect_file_chooser() as chooser:
        explore.page.get_by_role("button", name="Choose a file…").first.click()
    chooser.value.set_files(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.safetensors"
    path.write_bytes(weights_file())
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.safetensors"
    path.write_bytes(weights_file()[:-40])
    return path


def test_a_file_chosen_by_the_button_is_recognised_and_drawn(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    expect(explore.page.get_by_text("No weights file yet.")).to_be_visible()
    explore.field("heads").fill("2")
    body = explore.ask(lambda: choose(explore, file))
    assert body["model"]["source"] == "uploaded"
    found = explore.page.get_by_role("status").filter(has_text="small.safetensors")
    expect(found).to_contain_text("canonical")
    expect(found).to_contain_text("heads 2")
    expect(found).to_contain_text("d_model 6")
    explore.page.get_by_role("button", name="layer 0, head 1").click()
    reply = explore.shows(body, ["x", "q", "scores", "weights", "output"], place=(0, 1, 0))
    assert reply["shape"]["num_heads"] == 2


def test_a_file_without_embedding_or_w_o_says_what_stands_in_their_place(
    explore: Explore, tmp_path: Path
) -> None:
    matrices = {f"w_{name}": np.eye(4) for name in "qkv"}
    words = {"embedding": np.eye(4), "vocab": np.array(["a", "b", "c", "d"])}
    sentences = ("drawn at random from seed 0, without positions", "the heads side by side")
    found = explore.page.locator("#options .found")
    explore.field("Model").select_option("uploaded")
    explore.sentence.fill("a b c d")
    for more, told in (({}, True), ({"w_o": np.eye(4), **words}, False)):
        np.savez(tmp_path / f"{told}.npz", num_heads=1, **matrices, **more)  # type: ignore[arg-type]
        explore.ask(lambda: choose(explore, tmp_path / f"{told}.npz"))  # noqa: B023
        expect(found).to_contain_text(f"{told}.npz")
        for sentence in sentences:
            assert (sentence in (found.text_content() or "")) is told
        cut = "(it) => it.scrollWidth > it.clientWidth"
        assert not found.evaluate(cut), "the line is read whole"


def test_another_number_of_heads_reads_the_file_again(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    heads = explore.field("heads")
    heads.fill("1")
    explore.ask(lambda: choose(explore, file))
    heads.fill("2")
    body = explore.ask(lambda: heads.press("Enter"))
    assert explore.shows(body)["shape"]["num_heads"] == 2
    explore.page.reload()
    expect(heads).to_have_value("2")
    expect(heads).not_to_be_editable()


def test_tensors_of_other_names_are_found_by_a_mapping(explore: Explore, tmp_path: Path) -> None:
    names = {"w_q": "a.query", "w_k": "a.key", "w_v": "a.value"}
    tensors = dict.fromkeys(names.values(), np.eye(4))
    (tmp_path / "foreign.safetensors").write_bytes(save(tensors))
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("1")
    with explore.page.expect_response(MODELS) as refused:
        choose(explore, tmp_path / "foreign.safetensors")
    assert refused.value.status == 422
    explore.page.locator("summary", has_text="mapping").click()
    box = explore.page.get_by_role("textbox", name="mapping")
    box.fill(json.dumps(names))
    explore.shows(explore.ask(lambda: box.blur()), ["q", "weights"])


def test_pictures_are_dimmed_until_there_is_a_file(explore: Explore) -> None:
    explore.field("Model").select_option("uploaded")
    expect(explore.page.locator("#pipeline")).to_have_css("opacity", "0.55")


def test_an_upload_is_found_again_by_its_address(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("1")
    body = explore.ask(lambda: choose(explore, file))
    explore.shows(body)
    explore.page.reload()
    explore.canvas("weights").wait_for()
    assert explore.question()["model"] == body["model"]
    explore.shows(body)
    explore.drawer()
    expect(explore.page.get_by_text("small.safetensors", exact=True)).to_be_visible()


def test_a_file_dropped_anywhere_is_used(explore: Explore) -> None:
    body = explore.ask(lambda: drop(explore, "small.safetensors", weights_file(num_heads="2")))
    assert explore.shows(body, ["q", "weights"])["shape"]["num_heads"] == 2
    explore.drawer()
    expect(explore.page.get_by_text("small.safetensors", exact=True)).to_be_visible()
    expect(explore.field("Model")).to_have_value("uploaded")
    expect(explore.field("heads")).to_have_value("2")


def four_matrices(width: int = 64) -> bytes:
    """The file of the README; w_k and w_v of another width are grouped heads."""
    draw = np.random.default_rng(0)
    columns = {"w_q": 64, "w_k": width, "w_v": width, "w_o": 64}
    file = io.BytesIO()
    np.savez(file, **{name: draw.normal(size=(64, n)) / 8 for name, n in columns.items()})  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize(("width", "fitting", "kv_heads"), [(64, "1, 2, 4, 8", 4), (16, "4, 8", 1)])
def test_a_dropped_file_that_does_not_say_its_heads_asks_for_them(
    explore: Explore, width: int, fitting: str, kv_heads: int
) -> None:
    with explore.page.expect_response(MODELS) as refused:
        drop(explore, "weights.npz", four_matrices(width))
    assert refused.value.status == 422
    told = explore.page.locator("#options > .summary-line")
    expect(told).to_have_attribute("aria-expanded", "true")  # which the page opens by itself
    heads = explore.field("heads")
    expect(heads).to_be_focused()
    expect(heads).to_have_value("")
    told = explore.page.get_by_role("alert").filter(has_text="64 columns")
    expect(told).to_contain_text(f"(num_heads): {fitting}")
    assert "d_k" not in (told.text_content() or "")
    expect(told).to_contain_text("weights.npz")
    expect(told).to_contain_text("pictures are still of the model before")
    assert said_of_heads(explore) == 1
    heads.fill("4")
    body = explore.ask(lambda: heads.press("Enter"))
    shape = explore.shows(body, ["weights"])["shape"]
    assert (shape["num_heads"], shape["num_kv_heads"]) == (4, kv_heads)
    expect(told).to_have_count(0)


def test_files_wait_for_their_heads_whatever_is_changed_meanwhile(explore: Explore) -> None:
    drop(explore, "weights.npz", four_matrices())
    told = explore.page.get_by_role("alert").filter(has_text="weights.npz")
    expect(told).to_be_visible()
    explore.sentence.fill("another sentence")
    address_has(explore.page, "another")
    expect(told).to_be_visible()
    explore.shows(explore.ask(lambda: explore.field("Model").select_option("crafted")))
    expect(explore.page.locator("#pipeline")).to_have_css("opacity", "1")
    assert said_of_heads(explore) == 0
    explore.field("Model").select_option("uploaded")
    expect(told).to_be_visible()
    heads = explore.field("heads")
    expect(heads).to_be_focused()
    heads.fill("4")
    assert explore.ask(lambda: heads.press("Enter"))["text"] == "another sentence"
    expect(told).to_have_count(0)


def test_files_wait_no_longer_where_what_is_asked_of_them_is_closed(
    explore: Explore, file: Path
) -> None:
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("2")
    body = explore.ask(lambda: choose(explore, file))
    drop(explore, "weights.npz", four_matrices())
    told = explore.page.get_by_role("alert").filter(has_text="weights.npz")
    told.get_by_role("button", name="Close").click()
    expect(told).to_have_count(0)
    expect(explore.page.locator("#pipeline")).to_have_css("opacity", "1")
    expect(explore.field("heads")).to_have_value("2")
    assert explore.question() == body


def said_of_heads(explore: Explore) -> int:
    """How many places in sight speak of the missing number of heads."""
    parts = "#options .refusal, #options .found, #notice"
    words = [part.inner_text() for part in explore.page.locator(parts).all()]
    return sum("heads" in text and "layers" not in text for text in words)


def test_a_second_file_is_asked_for_its_own_heads(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    heads = explore.field("heads")
    heads.fill("2")
    explore.shows(explore.ask(lambda: choose(explore, file)))
    drop(explore, "weights.npz", four_matrices())
    expect(heads).to_be_focused()
    expect(heads).to_have_value("")
    told = explore.page.get_by_role("alert").filter(has_text="weights.npz")
    expect(told).to_contain_text("pictures are still of small.safetensors")
    assert said_of_heads(explore) == 1
    expect(explore.page.locator("#options .found")).to_contain_text("small.safetensors")
    expect(explore.page.locator("#pipeline")).not_to_have_css("opacity", "1")
    beneath = explore.page.locator("#pipeline, #tabs, #notice").evaluate_all(BENEATH)
    assert beneath == [True] * len(beneath), "what is said of the file covers nothing"
    heads.fill("3")
    heads.press("Enter")
    told = explore.page.get_by_role("alert").filter(has_text="3 heads do not fit")
    expect(told).to_contain_text("can be 1, 2, 4, 8")
    expect(heads).to_have_value("3")
    heads.fill("8")
    body = explore.ask(lambda: heads.press("Enter"))
    assert explore.shows(body)["shape"]["num_heads"] == 8
    expect(explore.page.locator("#pipeline")).to_have_css("opacity", "1")


@pytest.fixture
def phone(explore: Explore) -> Iterator[Explore]:
    wide = explore.page.viewport_size
    assert wide
    explore.page.set_viewport_size({"width": 420, "height": 800})
    yield explore
    explore.page.set_viewport_size(wide)


def test_a_narrow_page_unfolds_the_field_that_asks(phone: Explore) -> None:
    told = phone.page.locator("#options > .summary-line")
    expect(told).to_have_attribute("aria-expanded", "false")
    drop(phone, "weights.npz", four_matrices())
    expect(told).to_have_attribute("aria-expanded", "true")
    expect(phone.field("heads")).to_be_focused()


def test_a_linear_mapped_without_a_word_on_transposing_is_told(
    explore: Explore, tmp_path: Path
) -> None:
    names = {f"w_{name[0]}": f"attn.{name}.weight" for name in ("query", "key", "value")}
    tensors = {name: np.eye(4) * (i + 1) for i, name in enumerate(names.values())}
    (tmp_path / "linear.safetensors").write_bytes(save(tensors))
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("1")
    choose(explore, tmp_path / "linear.safetensors")
    explore.page.locator("summary", has_text="mapping").click()
    box = explore.page.get_by_role("textbox", name="mapping")
    offered = json.loads(box.get_attribute("placeholder") or "")
    assert offered["w_q"] == {"tensor": names["w_q"], "transpose": True}
    box.fill(json.dumps(names))
    explore.ask(lambda: box.blur())
    note = explore.page.get_by_role("status").filter(has_text="not transposed")
    expect(note).to_be_visible()
    box.fill(json.dumps({ours: {**offered["w_q"], "tensor": name} for ours, name in names.items()}))
    explore.ask(lambda: box.blur())
    expect(note).to_have_count(0)


def test_a_bad_file_says_what_is_wrong_and_loses_nothing(
    explore: Explore, file: Path, broken: Path
) -> None:
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("1")
    body = explore.ask(lambda: choose(explore, file))
    explore.shows(body)
    before = explore.pixels("weights")
    with explore.page.expect_response(MODELS) as refused:
        choose(explore, broken)
    assert refused.value.status == 422
    told = explore.page.get_by_role("alert").filter(has_text=refused.value.json()["detail"])
    expect(told).to_be_visible()
    assert explore.pixels("weights") == before
    explore.drawer()
    expect(explore.page.get_by_text("small.safetensors", exact=True)).to_be_visible()
    explore.shows(explore.ask(lambda: explore.sentence.fill("it still answers")))


def test_a_bad_file_dropped_on_the_page_loses_nothing(explore: Explore, broken: Path) -> None:
    body = explore.ask(lambda: explore.field("seed").fill("8"))
    explore.shows(body)
    before = explore.pixels("weights")
    with explore.page.expect_response(MODELS) as refused:
        drop(explore, broken.name, broken.read_bytes())
    expect(explore.page.get_by_text(refused.value.json()["detail"])).to_be_visible()
    assert explore.pixels("weights") == before
    expect(explore.field("Model")).to_have_value("seeded")
    expect(explore.field("seed")).to_have_value("8")
    explore.shows(body)


def test_a_file_that_is_no_weights_file_is_refused_in_words(
    explore: Explore, tmp_path: Path
) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(b"\x80\x04\x95pickled")
    explore.field("Model").select_option("uploaded")
    choose(explore, path)
    refusal = explore.page.get_by_role("alert").filter(has_text="pickle")
    expect(refusal).to_contain_text("safetensors.torch.save_file")


@pytest.mark.parametrize("source", ["seeded", "uploaded"])
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("mine.pt", b"\x80\x04\x95pickled", "pickle"),
        ("bias.json", b'{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "b_o": [1]}', "but no w_o"),
    ],
)
def test_a_refusal_names_the_file_it_is_of(
    explore: Explore, source: str, name: str, content: bytes, why: str
) -> None:
    explore.field("Model").select_option(source)
    drop(explore, name, content)
    refusal = explore.page.locator("#notice, .refusal").filter(has_text=why)
    expect(refusal).to_contain_text(name)


@pytest.mark.parametrize("source", ["seeded", "uploaded"])
def test_a_refusal_of_a_file_is_closed_and_the_focus_goes_back(
    explore: Explore, source: str
) -> None:
    explore.field("Model").select_option(source)
    explore.sentence.focus()
    drop(explore, "model.pt", b"\x80\x04\x95pickled")
    refusal = explore.page.locator("#notice, .refusal").filter(has_text="pickle")
    expect(refusal).to_be_visible()
    refusal.get_by_role("button", name="Close").focus()
    explore.page.keyboard.press("Enter")
    expect(refusal).to_have_count(0)
    expect(explore.sentence).to_be_focused()


def test_a_model_chosen_while_a_file_is_on_its_way_stays(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("2")
    held: list[Route] = []
    explore.page.route(MODELS, lambda route: held.append(route))
    choose(explore, file)
    until(explore.page, lambda: held, "the file is sent")
    explore.shows(explore.ask(lambda: explore.field("Model").select_option("crafted")))
    with explore.page.expect_response(MODELS):
        held[0].continue_()
    explore.page.wait_for_timeout(100)  # the reply reaches the page
    expect(explore.field("Model")).to_have_value("crafted")
    address_has(explore.page, "source=crafted")
    explore.page.unroute(MODELS)
    body = explore.ask(lambda: explore.field("Model").select_option("uploaded"))
    assert explore.shows(body)["shape"]["num_heads"] == 2
    expect(explore.page.locator("#options .found")).to_contain_text("small.safetensors")


def test_an_upload_that_does_not_arrive_says_so(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    explore.field("heads").fill("1")
    explore.page.route(MODELS, lambda route: route.abort("connectionreset"))
    choose(explore, file)
    expect(
        explore.page.get_by_role("alert").filter(has_text="attnscope is running")
    ).to_be_visible()
    explore.page.unroute(MODELS)
    explore.shows(explore.ask(lambda: choose(explore, file)))
