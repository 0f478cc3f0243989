"""Tournaments: plans, schedules, play, stores, ratings, reports."""
