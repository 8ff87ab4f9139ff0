/** Metrics of the hovered head, else of the selected one. */

import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { addedFirstNote, withFirstNote } from "../core/added-first-token.js";
import { nameTexts } from "../core/head-names.js";

/** @param {Store} store @param {State} state */
export function metricsOf(store, state) {
  const { page, t } = store;
  const { hover, metrics, view } = state;
  const place = hover?.of ?? view;
  const about = (/** @type {string} */ said) => withFirstNote(t, state, place.layer, said);
  const own = metrics?.find(({ layer, head }) => layer === place.layer && head === place.head);
  const measured = page.metrics.filter(({ name }) => own && own[name] !== null);
  const line = (/** @type {{name: string}} */ { name }) =>
    h(
      "div",
      { title: about(t(`metric.about.${name}`)) },
      h("dt", {}, t(`metric.${name}`)),
      h("dd", { translate: "no" }, format(own?.[name] ?? null, 3)),
    );
  const named = nameTexts(store, own);
  const first = own && addedFirstNote(t, state, place.layer);
  const name = t("heads.one", { layer: place.layer, head: place.head });
  return [
    h("h3", { title: about(named.about) }, name, named.text && ` · ${named.text}`),
    own ? h("dl", {}, measured.map(line)) : null,
    first ? h("p", { class: "muted" }, first) : null,
    metrics?.length === 0 ? h("p", { class: "muted" }, t("heads.unmeasured")) : null,
  ];
}
