import { Problem } from "../core/api.js";
import { checkReadable, sendForm } from "../core/send-form.js";
import { h } from "../lib/dom.js";

export class SendingRow {
  controller = new AbortController();

  /**
   * @param {{t: Store["t"]}} store @param {() => FormData} formOf
   * @param {(reply: any) => void} open @param {(problem: Problem) => void} refuse
   * @param {"models" | "captures"} [where] @param {string} [label]
   */
  constructor({ t }, formOf, open, refuse, where = "models", label = t("sending.send")) {
    this.t = t;
    this.path = `/api/v1/${where}`;
    const cancel = () => this.controller.abort();
    const run = () => this.run(formOf(), open, refuse);
    this.send = h("button", { type: "button", class: "button main", onclick: run }, label);
    this.bar = h("progress", { max: 1, value: 0, "aria-label": t("sending.sending") });
    this.share = h("span", { role: "status" });
    this.stop = h("button", { type: "button", class: "button", onclick: cancel }, t("sending.cancel"));
    this.sending = h("span", { class: "sending", hidden: true }, this.bar, this.share, this.stop);
    this.root = h("div", { class: "ways" }, this.send, this.sending);
  }

  /** @param {FormData} form @param {(reply: any) => void} open @param {(problem: Problem) => void} refuse */
  async run(form, open, refuse) {
    this.controller = new AbortController();
    this.showProgress(0);
    this.busy(true);
    this.stop.focus();
    try {
      await checkReadable(form.values(), this.t);
      const report = (/** @type {number} */ part) => this.showProgress(part);
      open(await sendForm(this.path, form, report, this.controller.signal));
    } catch (error) {
      this.busy(false);
      this.send.focus();
      if (error instanceof Problem) refuse(error);
      else if (!this.controller.signal.aborted) throw error;
    }
  }

  /** @param {number} part */
  showProgress(part) {
    this.bar.value = part;
    this.share.textContent = part < 1 ? `${Math.floor(100 * part)} %` : this.t("sending.reading");
  }

  /** @param {boolean} sending */
  busy(sending) {
    this.send.hidden = sending;
    this.sending.hidden = !sending;
  }
}
