"""A learner that keeps all its examples: whatever it answers is worked out from the whole list."""


class Remembering:
    def __init__(self, columns):
        self.columns = columns
        self.examples = []
        self.doubt = False  # whether rounding may have decided something

    def meet(self):
        pass

    @property
    def trained(self):
        return bool(self.examples)
