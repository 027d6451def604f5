import quadrants as qd

qd.algorithms.PrefixSumExecutor(5).run(qd.field(qd.f32, 5))
