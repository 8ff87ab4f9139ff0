"""Analyses of a trace: behaviour of heads, predictions, gradients, costs, spectra."""
