// Types of the server's replies, global to all scripts.

type Note = { code: string; message: string };

type Shape = {
  batch: number;
  num_layers: number;
  num_heads: number;
  num_kv_heads: number;
  n: number;
  m: number;
  d_model: number;
  d_k: number;
  d_v: number;
};

/** Reply of POST /attention; nested lists hold a list per text. */
interface Reply {
  trace: string;
  tokens: (string | null)[][] | null; // null: x has none, or they come in parts
  offsets: (Span | null)[][] | null; // null: tokens come in parts (core/token-windows.js)
  added: (boolean | null)[][] | null;
  unknown?: (boolean | null)[][]; // the token replaces text without a piece
  notes: Note[]; // differences from the model's own forward pass
  continues?: (boolean | null)[][]; // the token continues the previous one's word
  context_continues?: (boolean | null)[][];
  merged?: string; // by core/word-answer.js: how pieces became words
  sentences?: (number | null)[][]; // 0 or 1
  lengths: number[];
  context_tokens: (string | null)[][] | null;
  context_lengths: number[] | null; // null in self-attention
  shape: Shape;
  scale: number;
  temperature: number;
  dtype: string;
  holds: string[]; // conditions of formula variants
  attends_to?: ("self" | "context")[];
  mlp_width?: number;
  context_holds?: string[];
  stages?: string[];
  encoder_layers?: number;
  encoder_holds?: string[];
  whole?: Reply; // the reply of all layers
  checks: {
    max_row_sum_error: number | null;
    fully_masked_rows: number | null;
    non_finite: number | null;
    max_reference_error: number | null; // null: on request
    max_capture_error?: number | null;
  };
  whole_tokens?: number; // only if the text is too long for whole maps: most tokens with whole maps, or 0
  gradient_tokens?: number; // only if it is too long for gradients: most tokens with gradients
  elapsed_ms: number;
}

/** `left`: left-out columns */
type Block = {
  rows: number;
  cols: number;
  values: Float64Array | Float32Array;
  coarse?: import("../static/js/lib/quantized.js").QuantizedMap;
  left?: number[];
};

/** `char`: decoded character of a piece that is written as bytes */
type Label = { text: string; index: number | null; joined?: boolean; char?: string };

type Operand = {
  stage: string;
  layer: number;
  head: number | null;
  row: number;
  col: number;
  value: number | null;
};

/** `left`, `right`, `bias`: spans and index in `operands`. */
type ExplanationStep = {
  stage: string;
  expression: string;
  short: string | null;
  operands: Operand[];
  left: Span | null;
  right: Span | null;
  bias: number | null;
  value: number | null;
};

/** `of`: see `answerKey` of core/traces.js */
type Explanation = Formula & {
  value: number | null;
  steps: ExplanationStep[];
  masked_because: string | null;
  of?: string;
};

/** Replies of requests below a trace. */
declare namespace Replies {
  type Spectrum = {
    shape: number[];
    singular_values: number[];
    rank: number;
    condition_number: number | null;
    condition_within_rank: number | null;
    frobenius_norm: number | null;
    determinant: number | null;
    log_abs_determinant: number | null;
  };
  type Directions = {
    singular_values: number[];
    tokens_left: number[][];
    tokens_right: number[][];
    unseen: { dimensions: number; share: number; shares: number[]; tokens: number[][] } | null;
  };
  type HeadSpectra = {
    head: number;
    kv_head: number;
    matrices: Record<string, Spectrum>;
    bilinear: { max_error: number | null; terms: Record<string, number | null> };
    asymmetry: number | null;
    geometry: Record<string, Directions>;
  };
  type Principal = { shares: number[]; tokens: number[][] };
  type Spectra = {
    layer: number;
    batch: number;
    tensors: Record<string, Spectrum> | null;
    heads: HeadSpectra[];
    fused: { tensors: string[]; columns: number; max_difference: number | null };
    principal: Principal | null;
  };

  type Prediction = { predicted: number | null; measured: number | null };
  type Variance = Prediction & { name: string; shape: number[]; standard_error: number | null };
  type Counts = {
    name: string;
    num_heads: number;
    num_kv_heads: number;
    d_k: number;
    projections: number;
    biases: number;
    output: number;
    output_bias: number;
    total: number;
  };
  type Initialisation = {
    init: string | null;
    tensors: Variance[];
    signal: (Prediction & { stage: string })[];
    schemes: { init: string; own: boolean; tensors: Variance[] }[];
    counts: Counts[];
  };

  type DecodingStep = {
    step: number;
    prefill: boolean;
    rows: number[];
    cached: number;
    q: number[][][];
    k: number[][][];
    v: number[][][];
    weights: (number | null)[][][];
    cache_bytes: number;
    equal_to_full: number | null;
  };
  type CacheVariant = { name: string; num_kv_heads: number; own: boolean; bytes: number[] };
  type Decoding = {
    layer: number;
    num_steps: number;
    equal_to_full: number | null;
    cache: { bytes_per_row: number; num_layers: number; variants: CacheVariant[] };
    steps: DecodingStep[];
  };
  type SharedHeads = {
    name: string;
    num_kv_heads: number;
    own: boolean;
    parameters: number;
    cache_bytes: number;
    max_weight_error: number | null;
    max_output_error: number | null;
    relative_error: number | null;
  };

  type PiecePrediction = { id: number; piece: string; probability: number | null; log_probability: number | null };
  type Predictions = {
    position: number;
    token: string;
    predicts: string;
    top: PiecePrediction[];
    surprises: (number | null)[]; // −ln p
  };
  /** Measured on repeated random tokens. */
  type Probe = { length: number; repeats: number; heads: Record<string, number | null>[][]; copied: number | null };
  /** Each head dropped in turn. */
  type Ablations = {
    position: number;
    token: string;
    log_probability: number;
    heads: { log_probability: number; change: number }[][];
  };
  /** Summands of a logit. */
  type Contributions = {
    position: number;
    token: string;
    logit: number;
    embedding: number;
    heads: number[][];
    mlps: number[];
    bias: number;
  };
  /** `values` is a matrix that sums to the score. */
  type ScoreParts = {
    score: number;
    query_parts: { of: string }[];
    key_parts: { of: string }[];
    values: number[][];
  };
  /** `trace`: of the whole text */
  type Continuation = { trace: string; text: string; pieces: string[]; log_probabilities: number[] };
}
