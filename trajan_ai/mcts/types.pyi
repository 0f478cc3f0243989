NODE_BYTES: int

def __getattr__(name: str) -> int: ...  # enumerators of types.pxd
