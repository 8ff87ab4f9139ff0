"""What the command does beside serving: models are brought, and told of."""
