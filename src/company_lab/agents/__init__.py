"""Who acts: the agent protocol, scripted conducts, hostile agents, plain functions."""
