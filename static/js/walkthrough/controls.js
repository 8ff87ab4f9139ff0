import { setView } from "../core/actions.js";
import { pageAddress } from "../core/page-address.js";
import { CHAPTERS, LENGTH, indexOf } from "./timeline.js";
import { fill, h } from "../lib/dom.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];

/**
 * @param {HTMLElement} root @param {Store} store
 * @param {{toggle: () => void, scrub: (seconds: number) => void, rest: () => void, open: (chapter: string) => void}} hands
 * `rest` is called when the slider is released
 */
export function player(root, store, { toggle, scrub, rest, open }) {
  const { t } = store;
  const play = h("button", { class: "button play", onclick: toggle });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: LENGTH,
    step: 0.1,
    "aria-label": t("step.scrub"),
    oninput: () => scrub(Number(slider.value)),
    onchange: rest,
  });
  const speeds = SPEEDS.map((each) => h("option", { value: each, selected: each === 1 }, `${each}×`));
  const rate = h("select", { "aria-label": t("step.speed") }, speeds);
  const shut = () => setView(store, { step: null });
  const close = h("button", { class: "close", onclick: shut, "aria-label": t("step.close") }, "✕");
  const title = h("h2");
  const words = h("p", { class: "words", "aria-live": "polite" });
  const lesson = h("a", { class: "lesson", target: "_blank", hidden: true }, t("step.why"));
  const scene = h("div", { class: "place-of-scene" });
  const chapters = CHAPTERS.map(([name]) => h("button", { onclick: () => open(name) }, t(`tell.${name}.title`)));
  const list = chapters.map((button) => h("li", {}, button));
  fill(
    root,
    h("header", {}, title, close),
    words,
    lesson,
    scene,
    h("div", { class: "player" }, play, slider, rate),
    h("ol", { class: "chapters" }, list),
  );
  root.setAttribute("aria-label", t("step.label"));
  root.setAttribute("role", "region");
  root.tabIndex = -1;
  return {
    speed: () => Number(rate.value),
    /** @param {boolean} playing */
    label: (playing) => fill(play, playing ? "❚❚ " : "▶ ", t(playing ? "step.pause" : "step.play")),
    /** @param {number} seconds @param {string} chapter */
    place(seconds, chapter) {
      slider.value = String(seconds);
      slider.setAttribute("aria-valuetext", t(`tell.${chapter}.title`));
    },
    /** @param {string} chapter @param {import("./chapters.js").Chapter} content */
    show(chapter, { words: text, scene: drawn, lesson: why }) {
      fill(title, t(`tell.${chapter}.title`));
      if (words.textContent !== text) fill(words, text); // screen readers announce changes
      fill(scene, drawn?.element);
      lesson.hidden = !why;
      if (why) lesson.href = pageAddress(`/learn/${why}`);
      chapters.forEach((button, index) =>
        button.setAttribute("aria-current", index === indexOf(chapter) ? "step" : "false"),
      );
    },
  };
}
