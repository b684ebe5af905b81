"""Parameters that claims of the gauge paper share; claims on one page share the very same object."""

from __future__ import annotations

import math

from featurelearning.claims import Parameter, ParameterError

__all__ = ["D_GRID", "D_INPUT", "D_LARGE", "D_ONE", "D_SPREAD", "H_STEP", "KAPPA", "M_BEYOND", "M_GRID",
           "M_GROWING", "M_UNITS", "M_VALUES", "PHI", "SEED", "UNTIL", "two_different"]

_PHI_WHY = "angle of two different, not opposite directions"
_M_WHY = "one selected and at least one redundant unit"

PHI = Parameter("phi", full=math.pi / 3, low=0.0, high=math.pi, closed="neither", why=_PHI_WHY,
                meaning="the initial angle of all students to the teacher, in radians")
KAPPA = Parameter("kappa", full=1.0, low=0.0, high=4.0, closed="right", why="a positive total",
                  meaning="the total initial coefficient of the students (the teacher's is 1)")
M_UNITS = Parameter("m", full=4, low=2, high=64, why=_M_WHY, meaning="the number of student units")
D_ONE = Parameter("D", full=32.0, low=0.0, high=1e4, closed="right", why="an imbalance size",
                  meaning="the size of the imbalance a^2 - |w|^2")
SEED = Parameter("seed", full=0, low=0, high=2**63 - 1, meaning="the seed of the random numbers")
D_LARGE = Parameter("D", full=32.0, low=4.0, high=1e4, why="selection needs a large imbalance",
                    meaning="the size of the imbalance a^2 - |w|^2, and the unit of fast time")
D_INPUT = Parameter("d", full=10, low=2, high=1000, why="start and teacher must fit",
                    meaning="the dimension of the inputs")
UNTIL = Parameter("until", full=20.0, low=1.0, high=400.0, why="selection and some time after",
                  meaning="the fast time at the end")
H_STEP = Parameter("h", full=0.1, low=1e-3, high=0.5, why="a stable step",
                   meaning="the step of gradient descent in fast time (learning rate h/D)")

# Lists: each of these names belongs to other pages than the scalar above of the same name.
D_SPREAD = Parameter("D", full=(4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0), quick=(4.0, 16.0, 32.0, 64.0),
                     low=0.5, high=1e4, at_least=2, why="the expansion is in 1/D",
                     meaning="the sizes of the imbalance")
D_GRID = Parameter("D", full=(8.0, 16.0, 32.0, 64.0, 128.0, 256.0), quick=(32.0, 64.0), low=4.0, high=1e4,
                   at_least=2, why="selection at large imbalance is expanded in 1/D",
                   meaning="the sizes of the imbalance")
M_GRID = Parameter("m", full=(2, 4, 8, 16, 32), quick=(2, 4), low=2, high=64, why=_M_WHY,
                   meaning="the numbers of student units")
M_VALUES = Parameter("m_values", full=(2, 4, 8, 32), quick=(2, 4), low=2, high=64, why=_M_WHY,
                     meaning="the numbers of student units")
M_GROWING = Parameter("m", full=(2, 4, 8, 32, 256, 4096), quick=(2, 4, 32, 128), low=2, high=4096, at_least=2,
                      why=_M_WHY, meaning="the growing numbers of student units")
M_BEYOND = Parameter("m", full=(2, 4, 8), quick=(2, 4), low=2, high=16, at_least=2, why=_M_WHY,
                     meaning="the numbers of student units")


def two_different(name: str, values: tuple[float, ...]) -> None:
    """Refuse a list of fewer than two different values: it has no slope and no trend.

    Raises
    ------
    ParameterError
        Naming the parameter and its values.
    """
    if len(set(values)) < 2:
        raise ParameterError(f"{name} = {values}: all the same; allowed: at least two different values")
