"""Tools with which maintainers produce and study the knowledge that the package ships."""
