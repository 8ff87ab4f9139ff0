"""What the replies about parameters look like: spectra, geometry, initialisation, counts."""

from __future__ import annotations

from pydantic import BaseModel, Field


class SpectrumReply(BaseModel):
    """Singular values of one matrix, and what follows from them."""

    shape: list[int] = Field(description="[rows, columns].")
    singular_values: list[float] = Field(description="min(shape) of them, the largest first.")
    rank: int = Field(description="How many are above σ₁ · max(shape) · eps of the dtype.")
    condition_number: float | None = Field(description="σ₁ / σ_min; null: infinite.")
    condition_within_rank: float | None = Field(description="σ₁ / σ_rank; null where all are 0.")
    frobenius_norm: float | None = Field(description="√ of the sum of their squares.")
    determinant: float | None = Field(
        description="null where not square, or beyond the range of float64."
    )
    log_abs_determinant: float | None = Field(
        description="ln |determinant|; null where not square, or where the determinant is 0."
    )


class DirectionsReply(BaseModel):
    """The first two singular directions, and where the tokens lie along them."""

    singular_values: list[float] = Field(description="Names of the axes: one a direction.")
    left: list[list[float]] = Field(description="[direction][row of the matrix].")
    right: list[list[float]] = Field(description="[direction][column of the matrix].")
    tokens_left: list[list[float | None]] = Field(
        description="[token][direction]: x · left, or the context's rows for w_k, w_v and w_vo."
    )
    tokens_right: list[list[float | None]] = Field(
        description="[token][direction]: the image (x W) · right; of w_qk the keys, c · right."
    )


class BilinearReply(BaseModel):
    """S = x w_qk cᵀ and the terms of the biases, beside the scores."""

    max_error: float | None = Field(
        description="Largest |S − scores × scale / temperature|; null with rotary positions, where "
        "w_qk turns with the distance."
    )
    terms: dict[str, float | None] = Field(
        description="Largest |number| of each term: x_w_qk_x, x_w_q_b_k, b_q_w_k_x, b_q_b_k."
    )


class HeadSpectraReply(BaseModel):
    """The matrices of one head."""

    head: int = Field(description="Head, from 0.")
    kv_head: int = Field(description="The key/value head that serves it.")
    matrices: dict[str, SpectrumReply] = Field(
        description="w_q, w_k, w_v, w_o, w_qk = W_Q W_Kᵀ and w_vo = W_V W_O of this head."
    )


class TraceHeadReply(HeadSpectraReply):
    """The matrices of one head, and what they do to the text."""

    bilinear: BilinearReply = Field(description="The scores as one bilinear form.")
    asymmetry: float | None = Field(
        description="Largest |scores − scoresᵀ|: 0 where w_q = w_k; null in cross-attention."
    )
    geometry: dict[str, DirectionsReply] | None = Field(
        description="Where each matrix sends the tokens; null unless `head` is given."
    )


class ModelSpectrumReply(BaseModel):
    """Spectra of one layer."""

    layer: int = Field(description="Layer, from 0.")
    tensors: dict[str, SpectrumReply] | None = Field(
        description="w_q, w_k, w_v, w_o, all heads side by side; null with tensors=false."
    )
    heads: list[HeadSpectraReply] = Field(description="Every head, or the one asked for.")


class FusedReply(BaseModel):
    """One product with the matrices side by side, against one product each."""

    tensors: list[str] = Field(description="w_q, w_k, w_v; with a context w_k and w_v.")
    columns: int = Field(description="Columns of the fused matrix.")
    max_difference: float | None = Field(description="Largest |fused − apart|.")


class TraceSpectrumReply(BaseModel):
    """Spectra of one layer, and what they mean for one text of the batch."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    tensors: dict[str, SpectrumReply] | None = Field(
        description="w_q, w_k, w_v, w_o, all heads side by side; null with tensors=false."
    )
    heads: list[TraceHeadReply] = Field(description="Every head, or the one asked for.")
    fused: FusedReply = Field(description="W_QKV in one product.")


class VarianceReply(BaseModel):
    """The variance of one tensor, about 0."""

    name: str = Field(description="w_q, w_k, w_v, w_o or a bias.")
    shape: list[int] = Field(description="Sizes.")
    predicted: float | None = Field(description="By the scheme; null where no scheme drew it.")
    measured: float | None = Field(description="Mean square of its numbers.")
    standard_error: float | None = Field(
        description="How far off so many drawn numbers are, one σ; null where exact."
    )


class SchemeReply(BaseModel):
    """One scheme, drawn in the shapes of this trace."""

    init: str = Field(description="Name of the scheme.")
    own: bool = Field(description="Whether it drew the trace's own parameters.")
    tensors: list[VarianceReply] = Field(description="w_q, w_k, w_v, w_o.")


class SignalReply(BaseModel):
    """Mean square of a stage of one text."""

    stage: str = Field(description="x (what the projections read), q, k or v.")
    predicted: float | None = Field(description="d_model · E x² · E w² + E b²; null of x.")
    measured: float | None = Field(description="Mean of the squares.")


class CountsReply(BaseModel):
    """Numbers in the parameters of one layer."""

    name: str = Field(
        description="one_head, multi_head, grouped (as asked), multi_query, share_qk, share_qkv."
    )
    num_heads: int = Field(description="Heads.")
    num_kv_heads: int = Field(description="Key/value heads.")
    d_k: int = Field(description="Width of q and k, per head.")
    projections: int = Field(description="Of W_Q, W_K, W_V: 3 d_model² where h · d_k = d_model.")
    biases: int = Field(description="b_q, b_k, b_v, where there are biases.")
    output: int = Field(description="w_o.")
    output_bias: int = Field(description="b_o.")
    total: int = Field(description="All four together.")


class InitialisationReply(BaseModel):
    """Variances as predicted and as drawn, and how many numbers there are."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    init: str | None = Field(description="What drew the parameters; null where nothing did.")
    tensors: list[VarianceReply] = Field(description="The trace's own parameters.")
    signal: list[SignalReply] = Field(description="What they make of the size of x.")
    schemes: list[SchemeReply] = Field(description="Every scheme, or the one asked for.")
    counts: list[CountsReply] = Field(description="Parameter counts, each usual way.")
