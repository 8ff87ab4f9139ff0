"""The page of models: what is there opens, is searched, and tells its singular values."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, expect

from app.installed.shelf import shipped_model
from tests.browser.hands import Explore


def rows(window: Explore) -> Locator:
    return window.page.locator("#tensors tbody tr:visible")


def test_the_header_leads_to_the_models_and_they_to_explore(explore: Explore) -> None:
    page = explore.page
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Models").click()
    expect(page).to_have_title("Models · attnscope")
    current = page.locator("nav a[aria-current=page]")
    expect(current).to_have_text("Models")
    page.get_by_role("link", name="Open in Explore: addition").click()
    expect(page.locator("body[data-status=ready]")).to_have_count(1)
    assert explore.question()["model"] == {"source": "installed", "name": "addition"}


def test_tensors_are_searched_by_words(window: Explore) -> None:
    window.page.goto(f"{window.url}/models/echo")
    expect(rows(window)).to_have_count(16)
    window.page.get_by_label("Search").fill("1 w_")
    expect(rows(window).locator("th")).to_have_text([f"layers.1.w_{x}" for x in "koqv"])
    expect(window.page.locator(".search [role=status]")).to_have_text("4 of 16")


def test_the_singular_values_are_those_of_the_head_that_is_chosen(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/models/echo")
    bars = page.locator("#spectra svg rect")
    expect(bars).to_have_count(32)
    page.get_by_label("Layer").select_option("1")
    page.get_by_label("Head").select_option("2")
    page.get_by_role("button", name=re.compile(r"^WQ WKᵀ$")).click()
    page.get_by_label("as tables").check()
    expect(page.locator("#spectra h3")).to_have_text("Singular values of WQ WKᵀ, head 2")
    told = page.locator("#spectra .sheet tbody td")
    expect(told).to_have_count(64)
    layer = shipped_model("echo").read("step-3200").layers[1]
    q, k = (matrix[:, 64:96].astype(float) for matrix in (layer.w_q, layer.w_k))
    values = np.linalg.svd(q @ k.T, compute_uv=False)
    found = [float(text.replace(",", "")) for text in told.all_inner_texts()]
    np.testing.assert_allclose(found[:32], values[:32], rtol=2e-6)
    page.get_by_label("Revision").select_option("step-400")
    expect(told.first).not_to_have_text(f"{values[0]:.6f}")


def test_a_server_that_is_away_is_told_and_asked_again(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/models/echo")
    expect(page.locator("#spectra svg")).to_be_visible()
    page.route("**/spectrum**", lambda route: route.abort())
    page.get_by_label("Head").select_option("1")
    expect(page.locator("#spectra .error")).to_contain_text("The server does not answer.")
    page.unroute("**/spectrum**")
    page.get_by_label("Head").select_option("2")
    expect(page.locator("#spectra h3")).to_contain_text("head 2")
