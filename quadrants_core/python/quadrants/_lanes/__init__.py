"""The operations of qd.simt on architectures whose threads form blocks and subgroups."""
