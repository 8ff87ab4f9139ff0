"""Attention in numpy. Axes: batch B, queries n, keys m, heads h, key/value heads h_kv."""
