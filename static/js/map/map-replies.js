import { eventsOfTrace } from "../core/event-reply.js";
import { fetchOfTrace } from "../core/traces.js";
import { decode } from "../lib/safetensors.js";

/** @param {Maps.Named} named */
const root = ({ trace }) => `/api/v1/traces/${trace}`;

/** @param {Record<string, string | number>} query */
const words = (query) => new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));

/**
 * @param {Maps.Named} named @param {Maps.Selected} selected
 * @param {((progress: Maps.Progress) => void) | null} onProgress null: none
 * @param {AbortSignal} signal also stops the server's work @returns {Promise<Maps.Extent>}
 */
export async function extentOf(named, { stage, ...place }, onProgress, signal) {
  const path = `${root(named)}/map/${stage}?${words({ ...place, ...named.ways })}`;
  if (!onProgress) return fetchOfTrace(path, named.question, signal);
  return eventsOfTrace(path, named.question, onProgress, signal);
}

/** @param {Maps.Selected} selected @param {Maps.Tile} tile @param {Record<string, string | number>} query */
const tilePath = ({ stage, layer, head, batch }, { z, row, col }, query) =>
  `tiles/${stage}/${layer}/${head}/${z}/${row}/${col}?${words({ ...query, batch })}`;

/**
 * @param {Maps.Named} named @param {Maps.Selected} selected @param {Maps.Tile} tile
 * @param {{reduce: string, spacing: string}} how @param {AbortSignal} signal @returns {Promise<Maps.CodedMap>}
 */
export function pictureOf(named, selected, tile, how, signal) {
  const path = `${root(named)}/${tilePath(selected, tile, { ...how, ...named.ways, encoding: "u8" })}`;
  return fetchOfTrace(path, named.question, signal, async (response) => {
    const [rows, cols] = (response.headers.get("X-Shape") ?? "").split(",").map(Number);
    return { rows, cols, codes: new Uint8Array(await response.arrayBuffer()) };
  });
}

/**
 * @param {Maps.Named} named @param {Maps.Selected} selected @param {Maps.Tile} tile @param {string} reduce
 * @param {AbortSignal} signal @returns {Promise<Maps.Numbers>}
 */
export function numbersOf(named, selected, tile, reduce, signal) {
  const path = `${root(named)}/${tilePath(selected, tile, { reduce, ...named.ways, format: "safetensors" })}`;
  return fetchOfTrace(path, named.question, signal, async (response) => {
    const [{ shape, values }] = decode(await response.arrayBuffer()).tensors.values();
    const [rows, cols] = shape.slice(-2);
    return { rows, cols, values };
  });
}

/**
 * @param {Maps.Named} named @param {Maps.Selected} selected @param {Maps.Region} span @param {AbortSignal} signal
 * @returns {Promise<Maps.Numbers>}
 */
export async function blockOf(named, { stage, ...place }, { rows, cols }, signal) {
  const query = words({ ...place, ...named.ways, rows: rows.join(":"), cols: cols.join(":") });
  const { values } = await fetchOfTrace(`${root(named)}/stages/${stage}?${query}`, named.question, signal);
  const flat = values.flat().map((/** @type {number | null} */ value) => value ?? -Infinity);
  return { rows: rows[1] - rows[0], cols: cols[1] - cols[0], values: flat };
}

/**
 * @param {Maps.Named} named @param {{batch: number, context: boolean}} of @param {Span} span
 * @param {AbortSignal} signal @returns {Promise<(string | null)[]>}
 */
export async function tokensIn(named, of, [start, end], signal) {
  const path = `${root(named)}/tokens?${words({ rows: `${start}:${end}`, batch: of.batch, ...(of.context && { context: "true" }) })}`;
  const { tokens } = await fetchOfTrace(path, named.question, signal);
  return tokens ?? new Array(end - start).fill(null);
}
