"""Captures: arrays of attention that another program computed, without the model."""
