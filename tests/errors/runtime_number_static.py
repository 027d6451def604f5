import quadrants as qd


@qd.data_oriented(template_primitives=False)
class Sim:
    def __init__(self):
        self.n = 3

    @qd.kernel
    def wrong(self):
        for i in qd.static(range(self.n)):
            print(i)


Sim().wrong()
