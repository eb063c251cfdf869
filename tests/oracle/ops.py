"""Reference results of every op, by JAX and NumPy, for the rows of `crates/op-suite`.

Writes `tests/it/data/<family>.safetensors`, one file per module of `op_families`. A tensor is called
`<row>/<case>/in0:f32[2, 3]` or `.../out0:...`: the row is a line of the table in `crates/op-suite/src/families/<family>.rs`, and
the values are bytes in host layout, where sub-byte types take a byte each.
"""

import argparse
import importlib

from op_families import FAMILIES
from reference import Table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", help="only these")
    for name in parser.parse_args().families or FAMILIES:
        table = Table(name)
        importlib.import_module(f"op_families.{name}").fill(table)
        cases, size = table.save()
        print(f"{name}: {cases} cases, {size / 1024:.0f} KiB", flush=True)


if __name__ == "__main__":
    main()
