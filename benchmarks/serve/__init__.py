"""The learning service under load, beside what people write by hand."""
