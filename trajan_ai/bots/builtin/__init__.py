"""The built-in bots: one YAML file each, named as on the command line."""
