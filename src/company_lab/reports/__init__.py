"""Telling people what happened."""
