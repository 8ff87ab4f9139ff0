"""Attention in numpy. Axes: B batch, n queries, m keys, h heads, h_kv key/value heads."""
