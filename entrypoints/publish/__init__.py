"""Report in, requests out: comment, step summary, annotations, drift issue, chat."""
