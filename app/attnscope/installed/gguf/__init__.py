"""Models in one .gguf file, translated to the config and tensor names that the families read."""
