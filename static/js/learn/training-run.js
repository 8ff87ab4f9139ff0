import { post } from "../core/api.js";
import { eventReply } from "../core/event-reply.js";
import { h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { numberAtPower } from "../question/fields.js";

/** @typedef {"w_q" | "w_k" | "w_v" | "w_o"} Matrix */
/** @typedef {{task: string, steps: number, rate: number, seed: number}} Asked */
/** @typedef {{step: number, steps: number, loss: number | null}} Progress */
/** @typedef {{step: number, model: Model, loss: number | null, solved: number, gradients: Record<Matrix, number | null>}} Snapshot */
/** @typedef {{text: string, rate: number, guessing: number, losses: (number | null)[], diverged_at: number | null, snapshots: Snapshot[]}} Training */

const PATH = "/api/v1/training";
const SNAPSHOTS = 25; // the first is not counted

/**
 * @param {Asked} asked @param {(progress: Progress) => void} hear
 * @param {AbortSignal} signal aborts on the server too @returns {Promise<Training>}
 */
export function train(asked, hear, signal) {
  return eventReply(PATH, { ...post({ ...asked, snapshots: SNAPSHOTS }, signal), signal }, hear);
}

/** At most six steps, evenly spread. @param {number} last */
export function placesTo(last) {
  const every = Math.max(1, Math.ceil(last / 5));
  return Array.from({ length: Math.floor(last / every) + 1 }, (_, at) => at * every);
}

/** @param {Snapshot[]} snapshots @param {number} step */
export function nearestTo(snapshots, step) {
  const far = snapshots.map((one) => Math.abs(one.step - step));
  return far.indexOf(Math.min(...far));
}

/** @param {Store} store @param {Asked} asked @param {(patch: Partial<Asked>) => void} set */
export function trainingFields({ page, t }, asked, set) {
  const named = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...controls) =>
    h("label", { class: "field" }, h("span", {}, t(`field.${name}`)), ...controls);
  const task = makeSelect((name) => set({ task: name }));
  setOptions(task, page.choices.task, asked.task, (name) => t(`choice.task.${name}`));
  const size = h("output", { translate: "no" }, String(asked.rate));
  const place = Math.log10(asked.rate);
  const turn = () => set({ rate: Number((size.textContent = String(numberAtPower(rate.valueAsNumber)))) });
  const rate = h("input", { type: "range", min: -2, max: 1, step: 0.05, value: place, oninput: turn });
  const number = (/** @type {"steps" | "seed"} */ name, /** @type {number} */ min, /** @type {number} */ max) =>
    numberOf({ t }, { name, label: `field.${name === "steps" ? "step" : name}`, min, max, value: asked[name] }, set);
  return [
    named("task", task),
    named("rate", rate, size),
    number("steps", 1, page.limits.max_training_steps),
    number("seed", 0, page.limits.max_seed),
  ];
}

/**
 * @param {Pick<Store, "t">} store
 * @param {{name: "steps" | "seed", label: string, min: number, max: number, value: number}} field
 * @param {(patch: Partial<Asked>) => void} set
 */
function numberOf({ t }, { name, label, min, max, value }, set) {
  const id = `training-${name}`;
  const input = h("input", { type: "number", id, min, max, step: 1, value, inputmode: "numeric" });
  const error = h("span", { class: "error", role: "alert", id: `${id}-error` });
  input.setAttribute("aria-describedby", error.id);
  input.addEventListener("input", () => {
    const good = input.value !== "" && input.validity.valid;
    if (good) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    error.textContent = good ? "" : t("field.between", { min, max });
    if (good) set({ [name]: Number(input.value) });
  });
  return h("div", { class: "field" }, h("label", { for: id }, h("span", {}, t(label)), input), error);
}
