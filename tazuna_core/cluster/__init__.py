"""What is live: one reader protocol, over the API server or over a snapshot file."""
