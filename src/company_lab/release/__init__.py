"""May it go out: planning how much to run, comparing two runs, and the gate."""
