"""Side by side with other libraries: same streams, same number of learners, one run, CPU time."""
