"""What is asked: the scenario format, its loader, and the names a world exports."""
