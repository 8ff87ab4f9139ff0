"""Scripts that did not come, as a browser meets them: requested again, given up, or taken back."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.hands import Explore, address_lacks, until

# A page waits at least a second before it tries again; here a twentieth of it.
HURRY = """
const wait = window.setTimeout;
window.setTimeout = (run, pause, ...rest) => wait(run, pause < 1000 ? pause : 50, ...rest);
"""


def test_scripts_are_requested_again_until_the_server_has_another_version(
    elsewhere: Callable[..., Explore],
) -> None:
    window, held = elsewhere(None, is_new=True), list[Route]()
    page = window.page
    page.add_init_script(HURRY)
    window.open()
    page.route("**/lines/lines-tab.js", lambda route: route.abort("connectionrefused"))
    window.tab("Lines").click()
    panel = window.panel("Lines")
    expect(panel.get_by_role("status")).to_contain_text("It is asked again by itself")
    page.unroute("**/lines/lines-tab.js")
    expect(panel.locator("canvas").first).to_be_visible()

    window.tab("Stages").click()
    address_lacks(page, "tab=")
    before = page.url
    page.route("**/large-stage.js", lambda route: held.append(route))
    page.get_by_role("button", name="Enlarge scores", exact=True).click()
    until(page, lambda: held, "the script is asked for")
    expect(page).not_to_have_url(before)
    page.keyboard.press("Escape")
    expect(page).to_have_url(before)
    held[0].continue_()
    page.get_by_role("button", name="Enlarge weights", exact=True).click()
    expect(page.get_by_role("dialog", name="weights")).to_be_visible()
    page.keyboard.press("Escape")

    page.route("**/static/**", lambda route: route.fulfill(status=404, json={"title": "Not found"}))
    window.tab("Gradients").click()
    panel = window.panel("Gradients")
    expect(panel).to_have_text("There is a new version of this page: reload.")
    page.unroute("**/static/**")
    page.locator("#notice").get_by_role("button", name="Reload").click()
    expect(panel.locator("canvas").first).to_be_visible()
