"""Compares reading and hashing of random documents with the Go oracle: `python -m tests.bench.fuzz_oracle`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.compat.comparing import ON_PURPOSE, difference
from tests.compat.generating import Generator
from tests.compat.oracle import Question, ask

BATCH = 2000


def main() -> int:
    """Prints how many documents were compared, what differed on purpose and what differed; exits 1 on a difference."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=10, help="differences that are printed")
    options = arguments.parse_args()
    generator = Generator(options.seed)
    counts: Counter[str] = Counter()
    excused: Counter[str] = Counter()
    for start in range(0, options.documents, BATCH):
        size = min(BATCH, options.documents - start)
        questions = [Question(generator.text(), "m", generator.random.choice(["", "ns"])) for _ in range(size)]
        for question, answer in zip(questions, ask(questions), strict=True):
            rule, what = difference(question, answer)
            counts["refused by Go" if answer.error else "read by Go"] += 1
            if rule:
                excused[rule] += 1
            if what:
                counts["different"] += 1
                if counts["different"] <= options.show:
                    print(f"{question.text!r}\n  {what}\n")
    print(f"seed {options.seed}: {options.documents} compared, {counts['different']} different")
    print(f"  read by Go {counts['read by Go']}, refused by Go {counts['refused by Go']}")
    for rule, count in excused.most_common():
        print(f"  {count} differ on purpose, {rule}: {ON_PURPOSE[rule]}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
