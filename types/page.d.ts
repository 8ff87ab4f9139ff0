// Types that are global to all scripts of static/js; lib may not use them.

type Answer = import("../static/js/core/answer.js").Answer;
type Problem = import("../static/js/core/api.js").Problem;
type Tab = import("../static/js/core/address/fields.js").Tab;
type View = import("../static/js/core/address/fields.js").View;
type Axis = "query" | "key";

// The page: core/state.js

type Store = StoreOf<State, Page>;

/** `previous`: the state drawn last; undefined at first. */
type Part = { update: (state: State, previous?: State) => void; destroy: () => void };

type ViewOf = (root: HTMLElement, store: Store, slots?: Slots) => Part;

/** All that the page shows; the address holds `question` and `view`. */
interface State {
  question: Question;
  view: View;
  hover: (Cell & { keys?: boolean; of?: { layer: number; head: number } }) | null; // `of`: head of a tile, if any
  pointed: Pointed | null;
  trail: Visited[];
  answer: Answer | null; // the last one without an error
  answered: Question | null; // the question of `answer`
  overview: Answer | null; // weights of all heads, fetched if `answer` has only some
  exact: number; // counts arrivals of exact numbers
  every: Every | null;
  metrics: Metrics[] | null; // empty: unavailable
  status: "asking" | "slow" | "ready" | "empty" | "no_upload" | "failed";
  problem: Problem | null;
  attempt: number; // counts retries
  replaced: boolean; // the server has a newer page
  ignored: string[]; // unused parameters of the address
  lost: Problem | null; // why a short link failed
  explanation: Explanation | null;
  unexplained: Problem | null; // why there is no explanation
  unchanged: Problem | null; // why the last edit failed
  steps: EditHistory;
  examples: Example[];
  upload: Upload | null;
  uploadProblem: Problem | null;
  files: File[]; // empty after a reload
  uploading: boolean;
  reading: { heads: string | null; mapping: string }; // how to read files; `heads` as typed
  drafts: Record<string, Model>; // by `kindOf` of core/choose-source.js
  named: number; // counts arrivals of a long text's tokens
  theme: string;
  framed: string | null; // stage that an embedding page keeps enlarged
}

type Cell = RowCol & { stage: string };
type Visited = Cell & { layer: number; head: number };
type Pointed = { axis: Axis; at: number };
type Picked = { axis: Axis; at: number[] };
type Place = { layer: number; head: number };

/** `answer`: weights of all heads, or of those that fit. `masked`: gives the mask of heads with the same keys. */
type Every = { answer: Answer; masked: { answer: Answer; layer: number; head: number } };

/** null: the metric is undefined, for example between two texts */
type Metrics = { layer: number; head: number } & Record<string, number | null>;

/** `future`: questions to redo, the next one last. `pending`: edits whose numbers have not arrived. */
type EditHistory = { past: Question[]; future: Question[]; pending: How[] };

type Upload = {
  id: string;
  name: string;
  layout: string;
  shape: Record<string, number>;
  has_embedding: boolean;
  tensors: { name: string }[];
  num_tensors?: number;
  notes: Note[];
};

type Example = { id: string; title: string; about: string; question: Record<string, any>; figures: PublishedFigure[] };

type PublishedFigure = {
  stage: string;
  at: Record<string, number>;
  published: any;
  computed: any;
  agrees: boolean;
  why?: string | null;
};

// Data sent with the page: core/page.js

interface Page {
  lang: string;
  version: string; // of the release and the content
  release?: string; // absent in the API reference
  messages: Record<string, string>;
  stages: Stage[];
  parameters: Stage[];
  operands: Stage[]; // arrays outside the stage table
  metrics: { name: string; rivals: string[] | null }[]; // `rivals`: see core/head-names.js
  colors: Record<string, { diverging: string; sequential: string }>;
  defaults: Question;
  tasks?: Prepared[]; // a model per task, on a problem of the task
  first?: Prepared | null; // opened by an empty address; null: the default question
  pair?: [Prepared, Prepared] | null; // opened by Compare; null: the default question and another
  models: Record<string, Record<string, any>>; // fields by source; null: no default
  chapters?: Record<string, { name: string; title: string }>; // by explained stage
  installed: Installed[];
  uploaded?: (Installed & { id: string }) | null;
  large_capture?: string | null; // id of a capture that is too large to fetch whole
  first_part?: { id: string; layers: number[] } | null; // of a capture, fetched before the whole
  lessons: Record<string, { example: string; words: string[]; context: number }>; // tasks of models trained on request
  parts: string[]; // request fields outside a question
  limits: Record<string, number>;
  choices: Record<string, string[]>;
  frame_ancestors: string;
}

type Formula = { formula: string; mathml: string };

interface Stage extends Formula {
  name: string;
  axes: string[];
  inputs: string[];
  kind: "signed" | "weights" | "difference";
  variants: Record<string, Formula>; // by conditions of a reply (`holds`)
  label?: string;
}

type Prepared = { id: string; question: Record<string, any>; view: Partial<View> };

type Installed = {
  name: string;
  language: string | null;
  pieces: number;
  revisions: string[]; // the final one last
  base?: string | null;
  context: number;
  num_layers: number;
  num_heads: number;
  encoder_layers: number;
  predicts: string | null;
  causal: boolean;
  pairs: boolean;
  mlp: string[];
};

// Requests

type Numbers = number[] | number[][] | number[][][];
type Model = { source: string } & Record<string, any>;

/** Body of POST /attention; `text` is the content of the box, one sentence per line unless `breaks`. */
interface Question {
  text: string;
  tokens: string[] | string[][] | null;
  x: Numbers | null;
  context: string | null; // null: self-attention
  context_tokens: string[] | string[][] | null;
  context_x: Numbers | null;
  pair: string | null; // content of the box of the second sentence; null: none
  breaks: boolean; // line breaks belong to texts; not sent
  tokenizer: string | null; // null: the model's, else words
  special_tokens: string; // "model": those of the tokenizer; "none"
  context_length: number | null;
  model: Model;
  causal: boolean | null;
  window: number | null;
  global_tokens: number | number[];
  stride: number | null;
  block_size: number | null;
  prefix: number;
  blocked: [number, number][];
  mask: any[] | null; // 0 closes: [n][m], [B][1][m], [B][1][n][m] or [B][heads][n][m]
  context_mask: any[] | null;
  knockouts: any[] | null; // closed cells: {layer, head, rows, cols}
  position_ids: any[] | null; // [n] or [B][n]
  padding: string; // closes queries_and_keys or keys
  drop: [number, number][]; // [layer, head] of dropped heads
  scale: string | number;
  temperature: number;
  dtype: string | null;
}
