import { namedAxes, headAxis, isMap, sides, stageOf } from "../core/page.js";
import { sourceWords } from "../core/source-words.js";
import { pictureOf, scaleOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { colorsOf } from "../matrix/colors.js";
import { endsOf } from "../matrix/legend.js";
import { drawing } from "./vector-figure.js";
import { titleWithout } from "../matrix/left-out.js";
import { labelOf, nameOf } from "../matrix/names.js";

/** Colours of the light theme. @type {Record<string, string>} */
const COLORS = { query: "#0b66b0", key: "#b04a00", token: "#59626d", d_v: "#00705a", "head·d_v": "#00705a" };
const FEATURE = "#8c3f7c";

/**
 * Null if the answer lacks the stage.
 * @param {Store} store @param {string} name
 * @param {{title: string, numbers: boolean, seen?: {picture: import("./combined-map-file.js").Whole, title: string} |
 * null}} wish `seen`: picture in place of the selected head
 */
export function figureOf(store, name, { title, numbers, seen = null }) {
  const { page, t } = store;
  const state = store.get();
  const stage = stageOf(page, name);
  const picture = seen?.picture ?? (state.answer && pictureOf(page, state.answer, stage, selection(state)));
  if (!picture) return null;
  const scale = scaleOf(picture, stage, state.view.range);
  const [axes, called] = [sides(stage), namedAxes(stage, state)];
  const quantised = picture.coarse?.label(t);
  /** @param {string} of @param {number} count @param {string} name @param {string} way */
  const axis = (of, count, name, way) => ({
    title: `${t(`axis.${name}`)} ${way}`,
    color: COLORS[name] ?? FEATURE,
    names:
      of === "query" || of === "key"
        ? Array.from({ length: count }, (_, at) => shortenName(nameOf(state, of, at)))
        : null,
  });
  const few = !picture.coarse && picture.cols <= 16 && picture.rows * picture.cols <= 400;
  const drawn = drawing({
    title: title || labelOf(store, name),
    about: [aboutOf(store, name, seen?.title, picture.left), quantised].filter(Boolean).join(" · "),
    picture,
    colors: colorsOf(page, "light", stage.kind),
    scale,
    rows: axis(axes.rows, picture.rows, called.rows, "↓"),
    cols: axis(axes.cols, picture.cols, called.cols, "→"),
    square: isMap(stage),
    ends: endsOf(t, scale),
    closed: t(picture.left?.length ? "legend.left_out" : "legend.masked"),
    decimals: numbers && few ? 2 : null,
  });
  return { ...drawn, few };
}

/** Cuts a long name but keeps its index. @param {string} name */
const shortenName = (name) => name.replace(/^(.{32}).*[^₀-₉]([₀-₉]*)$/su, "$1…$2");

/**
 * Subtitle, which names the source of the numbers.
 * @param {Store} store @param {string} name @param {string} [heads] in place of the selected head
 * @param {number[]} [left] left-out keys
 */
function aboutOf(store, name, heads, left = []) {
  const { page, t } = store;
  const { question, view } = store.get();
  const place = heads ?? (headAxis(stageOf(page, name)) ? t("heads.one", view) : t("share.layer", view));
  const title = heads ? place : titleWithout(store, store.get(), place, left);
  return `${title} · ${sourceWords(store, question.model)}`;
}
