"""What was applied: the state that the Go CLI shares, our record, and the places both are kept in."""
