"""What a manifest names and holds, as plain data: documents, identity, hash, typed paths, schema, owners."""
