import quadrants as qd

qd.algorithms.PrefixSumExecutor(5).run(qd.field(qd.i32, 5))
