"""The mathematics of attention, in numpy alone. Start reading at `attend.py`.

Notation: B batch, n query positions, m key positions, h heads, h_kv key/value heads;
an array of one stage has the axes "batch head query key", "batch query d_model" and so on.
"""
