// Types of static/js/lib, global to all scripts.

/** [start, end) */
type Span = [number, number];
type Size = { rows: number; cols: number };
type RowCol = { row: number; col: number };
type Point = { x: number; y: number };

/** A child for `h` of dom.js. */
type Child = Node | string | number | null | undefined | false;

/** See `makeSlots` of lib/slots.js. */
type Slots = (name: string) => HTMLElement;

type StepKey = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** A tensor of a .safetensors file. */
type Tensor = { shape: number[]; values: Float64Array | Float32Array };

type How = {
  typing?: boolean; // more changes may follow: delay the request
  replace?: boolean; // make no history entry
  silent?: boolean; // do not write the address
};

type Translate = (key: string, values?: Record<string, unknown>) => string;

type StoreOf<State, Page> = {
  page: Page;
  t: Translate;
  get: () => State;
  set: (patch: Partial<State>, how?: How) => void;
  subscribe: (listener: (state: State, previous: State, how: How) => void) => () => void;
  base?: StoreOf<State, Page>; // the store that this one wraps
};

interface Picture {
  values: ArrayLike<number>; // row by row; −Infinity closes a cell
  rows: number;
  cols: number;
  holes?: ArrayLike<number> | null; // −Infinity closes a cell too
  realRows?: number; // rows without padding
  realCols?: number;
  left?: number[]; // left-out columns
  coarse?: import("../static/js/lib/quantized.js").QuantizedMap; // replaces `values`
}

/** Range of colours. `size`: largest absolute number; `most`: largest number, at least 0. */
type SizedPicture = Picture & { size: number; most: number };

type Scale = {
  low: number;
  high: number;
  byRow?: boolean; // from 0 to the maximum of each row
  root?: boolean; // colours follow the square root
};

type Palette = {
  pixels: Uint32Array; // 0xAABBGGRR, as in ImageData
  css: (index: number) => string;
};

/** Frame of a picture of bytes: quantized.js */
type Quantized = {
  cells: [number, number]; // rows and columns
  points: [number, number];
  side: [number, number]; // rows and columns of a point
  range: [number, number]; // the numbers of bytes 0 and 254
  size?: number; // requested points per side
  spacing?: "even" | "root";
};

/** Exact numbers of a quantized picture. */
type NumberSource = {
  of: (place: any) => (row: number, col: number) => number | undefined;
  want: (reader: string, regions: any[]) => boolean;
};

type Chart = {
  label: string; // for screen readers
  across: string; // title of the x axis
  places: number[]; // x of the points of all lines
  x: ChartAxis;
  y: ChartAxis;
  lines: { name: string; points: (number | null)[] }[]; // null is a gap
  marks: ChartMark[];
  level: number | null; // y of a reference line
  at: number; // index of the place under the pointer
};
type ChartAxis = { low: number; high: number; log: boolean; ticks: number[]; text: (value: number) => string };
type ChartMark = { at: number; text: string; name: string };

/** Tables: data-table.js */
declare namespace Table {
  type Column = { name: Child | Child[]; span: number };
  /** null: an empty corner; table cells stay as they are */
  type Head = Child | Child[] | Column;
  type Line = { heads: Head[]; class?: string; "aria-hidden"?: "true" };
  /** Table cells stay as they are. */
  type Row = { name: Child | Child[]; cells: (Child | Child[])[]; class?: string | null };
}
