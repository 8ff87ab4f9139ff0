/** Types of static/js/map. */
declare namespace Maps {
  /** A map that is ready to be drawn. */
  interface Sheet {
    key: string; // of the map, its reduction and spacing
    base: string; // of the map
    named: Named;
    selected: Selected;
    stage: Stage;
    reduce: "mean" | "max";
    spacing: Spacing;
    left: number[]; // left-out keys
    extent: Extent;
    size: Size;
    values: Float64Array; // numbers by code
    blocks: import("../static/js/map/blocks.js").Blocks;
    tokens: Record<"query" | "key", import("../static/js/map/axis-tokens.js").AxisTokens>;
  }

  // Replies: map-replies.js
  type Named = { trace: string; question: Record<string, unknown>; ways: Record<string, string> };
  type Selected = { stage: string; layer: number; head: number; batch: number };
  /** n queries, m keys; least and largest number of open cells. */
  type Extent = { n: number; m: number; levels: number; min: number; max: number };
  type Progress = { done: number; of: number };
  type CodedMap = { rows: number; cols: number; codes: Uint8Array };
  /** Row by row; closed cells are not finite. */
  type Numbers = { rows: number; cols: number; values: ArrayLike<number> };

  // Tiles: pyramid.js, tile-store.js
  type Tile = { z: number; row: number; col: number };
  /** `painted`: the pixels that `bitmap` was painted with. */
  type CachedTile = CodedMap & { open: boolean; bitmap: OffscreenCanvas | null; painted: unknown };
  type TileRequest = { name: string; ask: (signal: AbortSignal) => Promise<CodedMap> };

  // Colours: byte-codes.js. Codes are evenly spaced in the number, its square root or its logarithm.
  type Spacing = "even" | "root" | "log";
  type Ramp = "auto" | "linear" | "root" | "log";
  type Scale = { low: number; high: number; by: "even" | "root" | "log" | "signed_log" };
  type Colouring = { scale: Scale; colors: Palette; pixels: Uint32Array };
  type Ink = Record<
    "surface" | "sunken" | "ink" | "muted" | "line" | "accent" | "query" | "key" | "hatch" | "family",
    string
  >;

  // Places: pan-zoom.js
  /** Area of the cells, in CSS pixels. */
  type Room = { left: number; top: number; width: number; height: number };
  /** The cell in the middle of the room, with fractions; `scale`: CSS pixels of a cell. */
  type Place = { row: number; col: number; scale: number };
  type Region = { rows: Span; cols: Span };
  /** CSS pixels. `from`: top left corner of the map; `scale`: side of a cell. */
  type Layout = { from: Point; scale: number; size: Size; room: Room };

  // Profiles: profiles.js, map-plate.js
  /** Codes of a tile; `row`, `col`: its place in the level. */
  type Codes = CodedMap & { row: number; col: number };
  /** `start`: cell of the first value, in its level. NaN where no open cell is loaded. */
  type Profile = { start: number; values: Float64Array };
  type Edges = {
    of: number; // number of tiles
    side: number; // cells of the map per value of a profile
    rows: Profile;
    cols: Profile;
    titles: { rows: string[]; cols: string[] }; // lines of the titles
  };
}
