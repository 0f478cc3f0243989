"""The domain exception of the package."""


class TrajanError(ValueError):
    """Bad input: the message is one line that says where, what, and what would be right.

    The command line prints it and exits with status 2. ``problems`` holds every problem found,
    for input that is checked as a whole (files); the message joins them.
    """

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))
