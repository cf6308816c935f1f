"""Other people's work, read into ours."""
