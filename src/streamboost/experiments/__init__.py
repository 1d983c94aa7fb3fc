"""Experiments: many models on many data sets, over several processes, with tables, tests and one page that shows it all."""
