"""Models in one .gguf file: what it says of them, turned into what a family reads of a folder."""
