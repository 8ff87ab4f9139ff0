import { formatBytes } from "../lib/bytes.js";
import { fill, h } from "../lib/dom.js";
import { SendingRow } from "./sending-row.js";
import { formOf } from "./chosen-files.js";

/**
 * @param {import("./mapping-screen.js").MappingStore} store @param {import("./chosen-files.js").Whole} model
 * @param {string} title @param {(reply: {id: string}) => void} open
 * @param {(() => void) | null} byHand opens the screen that maps tensors
 */
export function wholeModel({ t, page }, model, title, open, byHand) {
  const error = h("p", { class: "error", role: "alert" });
  const values = {
    kind: model.kind,
    bytes: formatBytes(model.bytes),
    limit: formatBytes(page.limits.max_upload_bytes),
  };
  const fits = model.bytes <= page.limits.max_upload_bytes;
  const anyway = h("div", { class: "anyway" });
  /** @type {string[]} */
  let accepted = [];
  const sending = new SendingRow({ t }, () => formOf(model, title, accepted), open, refuse);
  sending.send.disabled = !fits;
  const heading = h("h2", { tabindex: "-1" }, title);
  const root = h(
    "section",
    { class: "mapping-screen", "aria-label": title },
    heading,
    h("p", { class: "muted" }, t(model.kind === "GGUF" ? "models.whole_gguf" : "models.whole", values)),
    !fits && h("p", { class: "error" }, t("models.sent.too_large", values)),
    error,
    anyway,
    sending.root,
    byHand && h("button", { type: "button", class: "button", onclick: byHand }, t("models.by_hand")),
  );
  return { root, title: heading };

  /** @param {Problem} problem */
  function refuse(problem) {
    const keys = problem.errors.flatMap(({ accept }) => accept ?? []);
    if (keys.length === 0) {
      fill(error, problem.message || t("models.offline"));
      return;
    }
    const listed = { keys: keys.join(t("models.and")) };
    fill(error, t("models.keys_unknown", listed));
    const label = t("models.anyway", listed);
    const button = h("button", { type: "button", class: "button main", onclick: sendWithout }, label);
    fill(anyway, h("p", {}, t("models.anyway_about")), button);
    // The first button would fail again, because it does not accept these keys.
    sending.send.hidden = true;
    button.focus();

    function sendWithout() {
      accepted = [...accepted, ...keys];
      fill(error);
      fill(anyway);
      sending.send.click();
    }
  }
}
