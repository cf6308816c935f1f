"""Plain values and how they are written: JSON, money, time, random streams, errors with positions."""
