"""Colours of a canvas, and those expected from the numbers, computed without the page's script."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

CLOSE = 2  # of 255: tables may be interpolated

# Colour in the middle of every cell, from a copy.
CENTRES = """(canvas, [rows, cols]) => {
  const { width, height } = canvas;
  if (!width || !height) return [];
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const colours = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const x = Math.floor(((col + 0.5) * width) / cols);
      const y = Math.floor(((row + 0.5) * height) / rows);
      colours.push(...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4));
    }
  }
  return colours;
}"""

DECODE = """async (png) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  let bytes = "";
  for (const byte of data) bytes += String.fromCharCode(byte);
  return [picture.width, picture.height, btoa(bytes)];
}"""


def centres(canvas: Locator, rows: int, cols: int) -> np.ndarray:
    """RGBA of each cell: [rows, cols, 4]."""
    found = np.array(canvas.evaluate(CENTRES, [rows, cols]), dtype=int)
    return found.reshape(rows, cols, 4) if found.size else np.zeros((rows, cols, 4), dtype=int)


def photograph(page: Page, element: Locator) -> np.ndarray:
    """As visible, with overlapping elements: [height, width, 3]."""
    png = base64.b64encode(element.screenshot()).decode()
    width, height, data = page.evaluate(DECODE, png)
    bytes_ = np.frombuffer(base64.b64decode(data), dtype=np.uint8)
    return bytes_.reshape(height, width, 4)[..., :3].astype(int)


def table(stops: str) -> np.ndarray:
    """256 colours from evenly spaced RRGGBB stops: [256, 3]."""
    given = np.frombuffer(bytes.fromhex(stops), dtype=np.uint8).reshape(-1, 3)
    places = np.linspace(0, len(given) - 1, 256)
    columns = [np.interp(places, np.arange(len(given)), channel) for channel in given.T]
    return np.rint(np.stack(columns, axis=1)).astype(int)


def painted(values: np.ndarray, colours: np.ndarray, low: float, high: float) -> np.ndarray:
    """Closed cells (NaN) are transparent: [rows, cols, 4]."""
    part = np.clip((np.nan_to_num(values) - low) / ((high - low) or 1), 0, 1)
    opaque = colours[np.floor(part * 255 + 0.5).astype(int)]
    picture = np.concatenate([opaque, np.full((*values.shape, 1), 255)], axis=-1)
    return np.where(np.isnan(values)[..., None], 0, picture)


def alike(found: np.ndarray, wanted: np.ndarray) -> bool:
    return bool((np.abs(found - wanted) <= CLOSE).all())


def stage_cells(reply: dict[str, Any], stage: str, layer: int, head: int, batch: int) -> np.ndarray:
    """Last two axes of a stage; masked and padded cells are NaN."""
    block = _block(reply, stage, layer, head, batch)
    if stage == "weights":
        block = np.where(
            np.isnan(_block(reply, "masked_scores", layer, head, batch)), np.nan, block
        )
    queries = reply["lengths"][batch]
    keys = (reply["context_lengths"] or reply["lengths"])[batch]
    block[keys if stage in {"context", "k", "v"} else queries :] = np.nan  # rows count tokens
    if stage in {"scores", "scaled_scores", "masked_scores", "weights"}:
        block[:, keys:] = np.nan
    return block


def _block(reply: dict[str, Any], stage: str, layer: int, head: int, batch: int) -> np.ndarray:
    array = np.array(reply["layers"][layer][stage], dtype=float)[batch]
    if array.ndim == 2:
        return array
    heads = reply["shape"]["num_heads"]
    return array[head * len(array) // heads]
