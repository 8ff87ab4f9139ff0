""".gguf models, translated to Hugging Face names."""
