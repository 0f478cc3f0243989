"""A check of the extra `pettingzoo`."""

from pettingzoo.test import api_test

from trajan_ai.adapters import pettingzoo

api_test(pettingzoo.env("trajan", 2), num_cycles=50)
