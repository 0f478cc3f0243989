CAPSULE: object
