"""LoRA adapters saved by PEFT, applied to installed models."""
