"""LoRA adapters of PEFT."""
