"""LoRA adapters as PEFT saves them, applied to a base model on the server."""
