"""Attention in numpy, starting at `attend.py`. Axes: B batch, n queries, m keys, h heads, h_kv
key/value heads."""
