#!/usr/bin/env python3
"""Runs halmos with three extensions. Called by prove.py with the arguments of halmos.

halmos abstracts a product of two symbolic values, and stops at a read from a symbolic offset. The contracts multiply by 0 or 1
instead of branching, and compute the end of a host. The extensions add no assumptions: the first evaluates a product with one bit
exactly, the second branches over all possible offsets of a calldata read, the third replaces a symbolic value by a constant
where the path conditions allow only one.

Frozen: to be replaced by the symbolic mode of forge when the pinned version has one.
"""

import json
import sys

import z3
from halmos import __main__ as halmos
from halmos import sevm
from halmos.bitvec import HalmosBitVec
from halmos.exceptions import NotConcreteError

# Upper bound for the offsets of one read. If it is exceeded, the check is not proved.
MAX_OFFSETS = 600


def is_one_bit(factor):
    rest = z3.simplify(z3.Extract(factor.size() - 1, 1, factor), push_ite_bv=True)
    return z3.is_bv_value(rest) and rest.as_long() == 0


def multiply(self, other, *, abstraction=None):
    if self.is_symbolic and other.is_symbolic:
        for factor, bit in ((self, other), (other, self)):
            if is_one_bit(bit.as_z3()):
                lowest = z3.simplify(z3.Extract(0, 0, bit.as_z3()) == 1)
                product = z3.If(lowest, factor.as_z3(), z3.BitVecVal(0, self.size))
                return HalmosBitVec(z3.simplify(product), size=self.size)
    return original_multiply(self, other, abstraction=abstraction)


original_multiply, HalmosBitVec.mul = HalmosBitVec.mul, multiply


def values_of(ex, term, limit):
    """All possible values of `term` on this path."""
    solver = z3.SolverFor("QF_AUFBV")
    solver.add(list(ex.path.conditions))
    values = []
    while (status := solver.check()) == z3.sat and len(values) <= limit:
        values.append(solver.model().eval(term, model_completion=True).as_long())
        solver.add(term != values[-1])
    if status != z3.unsat:
        raise NotConcreteError(f"too many values, or solver timeout: {term}")
    return values


def read_call_data(self, ex, stack):
    offset = ex.st.top()
    if offset.is_symbolic:
        term = offset.as_z3()
        for value in values_of(ex, term, MAX_OFFSETS):
            branch = self.create_branch(ex, term == value, ex.pc)
            branch.st.pop()
            branch.st.push(HalmosBitVec(value, size=256))
            stack.push(branch)
        return
    original_read_call_data(self, ex, stack)


original_read_call_data, sevm.SEVM.calldataload = sevm.SEVM.calldataload, read_call_data


def number(self, term, err=None):
    try:
        return original_number(self, term, err)
    except NotConcreteError:
        values = values_of(self, term.as_z3() if hasattr(term, "as_z3") else term, 1)
        if len(values) != 1:
            raise
        return values[0]


original_number, sevm.Exec.int_of = sevm.Exec.int_of, number


def make_concrete(ex, depth):
    """Replaces the stack item at `depth` by its value if only one is possible."""
    word = ex.st.stack[-depth]
    if word.is_symbolic:
        ex.st.stack[-depth] = HalmosBitVec(ex.int_of(word), size=256)


def memory_offset(self, check_size=True):
    make_concrete(self, 1)
    return original_memory_offset(self, check_size)


original_memory_offset, sevm.Exec.mloc = sevm.Exec.mloc, memory_offset


def returned(self):
    make_concrete(self, 1)
    make_concrete(self, 2)
    return original_returned(self)


original_returned, sevm.Exec.ret = sevm.Exec.ret, returned


def report(context):
    """Prints each result for prove.py."""
    result = original_test(context)
    fields = {"check": context.info.name, "exitcode": result.exitcode, "paths": result.num_paths[0],
            "stuck": result.num_paths[2], "loops": result.num_bounded_loops, "seconds": result.time[0]}
    print("RESULT " + json.dumps(fields), flush=True)
    return result


original_test, halmos.run_test = halmos.run_test, report

sys.exit(halmos.main())
