"""Scenes of `benchmarks.faults`, one trouble each."""
