"""What one clean run does not show."""
