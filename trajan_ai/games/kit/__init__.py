"""What a game is made with: names, weights, readers of position files, inputs for learners."""
