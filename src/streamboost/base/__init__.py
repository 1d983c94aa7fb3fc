"""What every estimator shares: labels, columns, inputs, files, verbs."""
