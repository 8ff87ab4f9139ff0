"""LoRA adapters as PEFT saves them, opened on a base that is on the server."""
