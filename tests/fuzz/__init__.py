"""Random programs, compiled and run as Python: `python -m tests.fuzz --count N --seed S`.

generate.py writes programs from a grammar of the accepted language, mutate.py corrupts valid ones, run.py runs one program on
every arch and compares, worker.py does so for many in a process of their own, shrink.py makes a failing one small.
"""
