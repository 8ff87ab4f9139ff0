"""A weights file, by button and by drop: its numbers are drawn, a bad one loses nothing."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from safetensors.numpy import save

from tests.browser.hands import Explore

DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const target = document.querySelector("main");
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
  }
}"""
MODELS = "**/api/v1/models"


def weights_file(width: int = 6) -> bytes:
    draw = np.random.default_rng(11)
    tensors = {f"w_{name}": draw.normal(size=(width, 4)) for name in "qkv"}
    return save({**tensors, "w_o": draw.normal(size=(4, width))})


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


def test_another_number_of_heads_reads_the_file_again(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    explore.ask(lambda: choose(explore, file))
    heads = explore.field("heads")
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
    body = explore.ask(lambda: choose(explore, file))
    explore.shows(body)
    explore.page.reload()
    explore.canvas("weights").wait_for()
    assert explore.question()["model"] == body["model"]
    explore.shows(body)
    expect(explore.page.get_by_text("small.safetensors")).to_be_visible()


def test_a_file_dropped_anywhere_is_used(explore: Explore, file: Path) -> None:
    data = base64.b64encode(file.read_bytes()).decode()
    body = explore.ask(lambda: explore.page.evaluate(DROP, [file.name, data]))
    explore.shows(body, ["q", "weights"])
    expect(explore.page.get_by_text("small.safetensors")).to_be_visible()
    expect(explore.field("Model")).to_have_value("uploaded")


def test_a_bad_file_says_what_is_wrong_and_loses_nothing(
    explore: Explore, file: Path, broken: Path
) -> None:
    explore.field("Model").select_option("uploaded")
    body = explore.ask(lambda: choose(explore, file))
    explore.shows(body)
    before = explore.pixels("weights")
    with explore.page.expect_response(MODELS) as refused:
        choose(explore, broken)
    assert refused.value.status == 422
    told = explore.page.get_by_role("alert").filter(has_text=refused.value.json()["detail"])
    expect(told).to_be_visible()
    assert explore.pixels("weights") == before
    expect(explore.page.get_by_text("small.safetensors")).to_be_visible()
    explore.shows(explore.ask(lambda: explore.sentence.fill("it still answers")))


def test_a_bad_file_dropped_on_the_page_loses_nothing(explore: Explore, broken: Path) -> None:
    body = explore.ask(lambda: explore.field("seed").fill("8"))
    explore.shows(body)
    before = explore.pixels("weights")
    data = base64.b64encode(broken.read_bytes()).decode()
    with explore.page.expect_response(MODELS) as refused:
        explore.page.evaluate(DROP, [broken.name, data])
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
    expect(explore.page.get_by_role("alert").filter(has_text="pickle")).to_be_visible()


def test_an_upload_that_does_not_arrive_says_so(explore: Explore, file: Path) -> None:
    explore.field("Model").select_option("uploaded")
    explore.page.route(MODELS, lambda route: route.abort("connectionreset"))
    choose(explore, file)
    expect(
        explore.page.get_by_role("alert").filter(has_text="attnscope is running")
    ).to_be_visible()
    explore.page.unroute(MODELS)
    explore.shows(explore.ask(lambda: choose(explore, file)))
