import { call, Problem } from "../core/api.js";
import { eventReply } from "../core/event-reply.js";
import { formatBytes } from "../lib/bytes.js";
import { find, fill, h } from "../lib/dom.js";

const LIST = "section[aria-labelledby=on-server] .shelf";

/** @param {string} name @returns link to Explore; null if not listed @throws {Problem} */
export async function listModel(name) {
  const html = await (await call(location.pathname + location.search)).text();
  const item = new DOMParser().parseFromString(html, "text/html").querySelector(`[data-model="${name}"]`);
  if (!item) return null;
  const here = document.importNode(item, true);
  find(LIST).append(here);
  return find("a.main", here);
}

/**
 * @typedef {{name: string, licence: string, package: string, version: string, download: number, bytes: number}} Offer
 */
/** @typedef {{step: "download" | "unpack", bytes: number, of: number}} Progress */

const TENTHS = 10; // announcements during a download

/** @param {HTMLElement} root @param {{t: Translate}} store @param {Offer[]} offers */
export function showOffers(root, { t }, offers) {
  const status = h("p", { class: "muted", role: "status" });
  root.append(status);
  for (const offer of offers) {
    const item = find(`[data-offer="${offer.name}"]`, root);
    new OfferRow(t, item, offer, (text) => fill(status, text));
  }
}

class OfferRow {
  controller = new AbortController();
  announced = "";

  /**
   * @param {Translate} t @param {HTMLElement} item @param {Offer} offer
   * @param {(text: string) => void} announce writes outside the row, which a download removes
   */
  constructor(t, item, offer, announce) {
    this.t = t;
    this.item = item;
    this.offer = offer;
    this.announce = announce;
    const { name } = offer;
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, kind = "button") =>
      h("button", { type: "button", class: kind, onclick }, text);
    this.ask = button(t("models.get"), () => this.open());
    this.ask.setAttribute("aria-label", t("models.get_of", { name }));
    this.facts = factsOf(t, offer);
    this.get = button(t("models.get_now", { bytes: formatBytes(offer.download) }), () => this.run(), "button main");
    this.get.setAttribute("aria-describedby", this.facts.id);
    this.leave = h("p", { class: "muted" }, t("models.get_leave"));
    this.bar = h("progress", { "aria-label": t("models.getting", { name }) });
    this.text = h("span", {});
    this.spoken = h("span", { class: "hidden", role: "status" });
    this.coming = h("span", { class: "sending", hidden: true }, this.bar, this.text, this.spoken);
    this.cancel = button(t("sending.cancel"), () => this.abort());
    this.error = h("p", { class: "error", role: "alert" });
    this.ways = h("div", { class: "get-ways" }, this.get, this.coming, this.cancel);
    const group = { class: "get", role: "group", "aria-label": t("models.getting", { name }), hidden: true };
    this.panel = h("div", group, this.facts, this.leave, this.error, this.ways);
    item.append(h("div", { class: "ways" }, this.ask), this.panel);
  }

  open() {
    this.ask.hidden = true;
    this.panel.hidden = false;
    this.announce("");
    this.get.focus();
  }

  close() {
    this.ask.hidden = false;
    this.panel.hidden = true;
    fill(this.error);
    this.ask.focus();
  }

  abort() {
    if (this.coming.hidden) this.close();
    else this.controller.abort();
  }

  async run() {
    const { name } = this.offer;
    this.controller = new AbortController();
    this.busy(true);
    this.cancel.focus();
    try {
      const { signal } = this.controller;
      const path = `/api/v1/catalogue/${encodeURIComponent(name)}/install`;
      await eventReply(path, { method: "POST", signal }, (news) => this.report(news));
      await this.arrive();
    } catch (error) {
      if (!this.controller.signal.aborted && !(error instanceof Problem)) throw error;
      const there = error instanceof Problem && error.code === "already_there";
      if (there) await this.arrive().catch((again) => this.fail(again));
      else this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    const had = this.panel.contains(document.activeElement);
    this.busy(false);
    if (error instanceof Problem) {
      fill(this.error, error.message || this.t("models.get_offline"));
      if (had) this.get.focus();
    } else {
      this.close();
      this.announce(this.t("models.get_cancelled", { name: this.offer.name }));
    }
  }

  async arrive() {
    const { name } = this.offer;
    const link = await listModel(name);
    if (!link) return location.reload(); // the page says why the model is not listed
    const had = this.panel.contains(document.activeElement);
    this.item.remove();
    this.announce(this.t("models.get_arrived", { name }));
    if (had) link.focus();
  }

  /** @param {Progress} news */
  report({ step, bytes, of }) {
    if (!bytes) return;
    const { t } = this;
    this.bar.max = of;
    this.bar.value = bytes;
    const values = { bytes: formatBytes(bytes), of: formatBytes(of) };
    fill(this.text, t(step === "unpack" ? "models.get_unpacked" : "models.get_downloaded", values));
    const tenth = Math.floor((TENTHS * bytes) / of);
    const announced = `${step} ${tenth}`;
    if (announced === this.announced) return;
    this.announced = announced;
    fill(this.spoken, `${t(step === "unpack" ? "models.get_unpacking" : "models.get_downloading")} ${10 * tenth} %`);
  }

  /** @param {boolean} coming */
  busy(coming) {
    fill(this.error);
    this.get.hidden = coming;
    this.coming.hidden = !coming;
    this.announced = "";
    this.bar.removeAttribute("value"); // unknown duration
    fill(this.text, this.t("models.get_looking"));
    fill(this.spoken, coming && this.t("models.get_looking"));
  }
}

/** @param {Translate} t @param {Offer} offer */
function factsOf(t, offer) {
  const facts = {
    "models.get_download": formatBytes(offer.download),
    "models.get_disk": formatBytes(offer.bytes),
    "models.get_licence": offer.licence,
    "models.get_package": `${offer.package} ${offer.version}`,
  };
  const listed = Object.entries(facts).map(([key, value]) => h("div", {}, h("dt", {}, t(key)), h("dd", {}, value)));
  return h("dl", { class: "model-facts", id: `offer-${offer.name}` }, listed);
}
