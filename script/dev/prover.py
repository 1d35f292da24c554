#!/usr/bin/env python3
"""halmos, with three things it gives up on worked out exactly. prove.py runs it; the arguments are those of halmos.

As it comes, halmos replaces a product of two unknowns by an unknown, and stops where the place of a read is unknown. Our
contracts multiply by 0 or 1 instead of branching, and look for a host's end by arithmetic. None of the changes below assumes
anything: the first says what a product with one bit is, the second goes through all places a read can have, one by one, the
third puts in the value where the path allows only one.
"""

import json
import sys

import z3
from halmos import __main__ as halmos
from halmos import sevm
from halmos.bitvec import HalmosBitVec
from halmos.exceptions import NotConcreteError

# More places than any read of ours can have; past it, the check counts as not proved.
MOST_PLACES = 600


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
    return plain_multiply(self, other, abstraction=abstraction)


plain_multiply, HalmosBitVec.mul = HalmosBitVec.mul, multiply


def values_of(ex, term, most):
    """All values `term` can have on this path."""
    solver = z3.SolverFor("QF_AUFBV")
    solver.add(list(ex.path.conditions))
    values = []
    while (answer := solver.check()) == z3.sat and len(values) <= most:
        values.append(solver.model().eval(term, model_completion=True).as_long())
        solver.add(term != values[-1])
    if answer != z3.unsat:
        raise NotConcreteError(f"too many values, or no answer: {term}")
    return values


def read_call_data(self, ex, stack):
    place = ex.st.top()
    if place.is_symbolic:
        term = place.as_z3()
        for value in values_of(ex, term, MOST_PLACES):
            branch = self.create_branch(ex, term == value, ex.pc)
            branch.st.pop()
            branch.st.push(HalmosBitVec(value, size=256))
            stack.push(branch)
        return
    plain_read_call_data(self, ex, stack)


plain_read_call_data, sevm.SEVM.calldataload = sevm.SEVM.calldataload, read_call_data


def number(self, term, err=None):
    try:
        return plain_number(self, term, err)
    except NotConcreteError:
        values = values_of(self, term.as_z3() if hasattr(term, "as_z3") else term, 1)
        if len(values) != 1:
            raise
        return values[0]


plain_number, sevm.Exec.int_of = sevm.Exec.int_of, number


def settle(ex, depth):
    """Replaces the word at `depth` of the stack by its value, if it can have only one."""
    word = ex.st.stack[-depth]
    if word.is_symbolic:
        ex.st.stack[-depth] = HalmosBitVec(ex.int_of(word), size=256)


def memory_place(self, check_size=True):
    settle(self, 1)
    return plain_memory_place(self, check_size)


plain_memory_place, sevm.Exec.mloc = sevm.Exec.mloc, memory_place


def returned(self):
    settle(self, 1)
    settle(self, 2)
    return plain_returned(self)


plain_returned, sevm.Exec.ret = sevm.Exec.ret, returned


def tell(context):
    """Results as they come, for prove.py."""
    result = plain_test(context)
    told = {"check": context.info.name, "exitcode": result.exitcode, "paths": result.num_paths[0],
            "stuck": result.num_paths[2], "loops": result.num_bounded_loops, "seconds": result.time[0]}
    print("RESULT " + json.dumps(told), flush=True)
    return result


plain_test, halmos.run_test = halmos.run_test, tell

sys.exit(halmos.main())
