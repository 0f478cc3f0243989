"""Tournaments: plans, schedules, backends, stores, ratings and reports."""
