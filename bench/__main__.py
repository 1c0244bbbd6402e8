"""Run the rows that are asked for; print one JSON line each.

A row is `{row, work, value, unit, peer, peer_value, ratio, target, met}`; the numbers are those of
the targets in chapter 12 of the specification, and 0 is the first issue's: submit to done of one
stage without polling. Peers are measured by what installs them; a row without one has `null`.
"""

import json
import os
import sys

from bench.rows import ROWS


def main() -> None:
    """Run the rows of the command line or of `ROWS`, all by default."""
    asked = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ROWS", "")
    numbers = [int(number) for number in asked.split(",") if number] or sorted(ROWS)
    for number in numbers:
        row = ROWS[number]()
        sys.stdout.write(json.dumps({"row": number, **row}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
