"""Changes of files as text: what is edited is new, every other byte stays. Pure: text in, text out."""
