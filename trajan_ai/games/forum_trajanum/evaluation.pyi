def __getattr__(name: str) -> int: ...  # enumerators of evaluation.pxd
