"""What produces and studies the knowledge that the package ships, for maintainers."""
