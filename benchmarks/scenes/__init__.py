"""Scenes of `benchmarks.faults`: each puts a server into one trouble and tells what came of it."""
