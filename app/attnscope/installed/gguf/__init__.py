""".gguf models, translated to configs and tensor names of the families."""
