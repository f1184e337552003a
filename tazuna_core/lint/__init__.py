"""What makes a rebuild differ from what was tried: lints of what manifests name and build. Pure: no file is read."""
