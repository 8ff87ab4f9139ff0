"""Text to tokens with their offsets; offsets count code points."""

from app.tokens.split import Cut, Token, Tokenizer, check_text, tokenize

__all__ = ["Cut", "Token", "Tokenizer", "check_text", "tokenize"]
