"""Text to tokens with their offsets; offsets count code points."""

from app.tokens.split import Token, Tokenizer, check_text, read_text, tokenize

__all__ = ["Token", "Tokenizer", "check_text", "read_text", "tokenize"]
