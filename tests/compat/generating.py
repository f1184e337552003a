"""Random YAML and JSON text, made so that it comes near every rule of reading: most of it is odd, some of it broken."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from typing import Any

import yaml

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n"

WORDS = (  # noqa: SIM905 - as a list of one a line it would not be read
    "y Y n N yes No on OFF oFF true False TRUE null ~ Null NULL nULL .inf -.Inf +.INF .nan .NaN NaN << = - ? : | > "
    "0x1F 0o17 0O7 0b11 -0b1 0b-1 +0b1 017 08 0899 1_000 _1 1_ 0x_1 1:20 12:30:45 2024-01-02 2024-1-2T3:4:5Z 1e3 1e400 "
    "5. .5 -.5 +.5e-3 .1_0 ._1 .1__0 1__0 1.5_0 -0 -0.0 +0 00 0. 1.e5 9223372036854775807 9223372036854775808 "
    "-9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 +18446744073709551615 "
    "0xFFFFFFFFFFFFFFFF 0x1FFFFFFFFFFFFFFFF +0x8000000000000000 -0x8000000000000000 0777777777777777777777777 "
    "1e21 1e20 999999999999999999999 1e-6 9.99e-7 1e-7 123456.789e3 16777217.5 1e39 3.4028235e38 1e-46 1.1 "
    'a b foo http://x.y/z a:b a#b x# {{.x}} \'\' "" \'on\' "1" \'it\'\'s\' "\\u00e9" "\\x41" "\\/" "\\\'" "\\e" "\\0" '
    '"\\N" "\\ud83d" "\\U0001F600" "\\_" @x `x %x &a &a1 *a !x !!str !!int !!float !!bool !!null !!binary '
    "!!timestamp !!set !!omap !!map !!seq !!merge !<tag:yaml.org,2002:int> ! "
    "aGVsbG8= /+8= é 日本 \u00a0 \u2028 \x85 \ufeff "
    "[] {} [1] - -- --- ... ---- *a1 --"
).split(" ")

PHRASES = (
    *("{a: 1}", "[a, b]", "{a, b}", "{a: , b}", "[a: 1]", "{? a : b}", '"a: b"', "a: b", "!!str 1", "!!float 3"),
    *(
        "!!int 0x1F",
        "!foo bar",
        "! 1",
        "! '1'",
        "!!timestamp 2024-01-02",
        "!!timestamp 2024-13-02",
        "!!binary /+8=",
        "&a 1.0",
    ),
    *(
        "!!bool 'on'",
        "!!null ''",
        "!!float 18446744073709551615",
        "[a, !!str b]",
        "{'a':b}",
        "{a:b}",
        "[a?, b]",
        "a # b",
    ),
    *(
        "!!timestamp 2001-12-14t21:59:43.10-05:00",
        "!!timestamp 2001-12-14 21:59:43",
        "!!timestamp 2001-2-30",
        "!!int 1.0",
    ),
)

SCALAR_CHARACTERS = "0123456789" * 3 + "__++--..eExXoObBaAfFyYnNtT:~<>=!#,'\"\\/ &*@%?|[]{}é\t"
TEXT_CHARACTERS = (
    "abc xyz 0123 <>&'\"\\/:#-,.%{}[]\n\t\r\b\f\x1b\x7f\u2028\u2029\x85\xa0éß日本語😀\ufffd\uffff\U0010ffff\x00"
)


class Generator:
    """Makes documents from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._makers: list[Callable[[], str]] = [
            self._scalars,
            self._scalars,
            self._numbers,
            self._structure,
            self._dumped,
            self._dumped,
            self._merges,
            self._blocks,
            self._json_stream,
            self._mutated,
            self._mutated,
            self._stream,
        ]

    def text(self) -> bytes:
        """One stream, now and then not even UTF-8."""
        made = self.random.choice(self._makers)().encode("utf-8", "surrogatepass")
        if self.random.random() < 0.01:
            cut = self.random.randrange(len(made) + 1)
            made = made[:cut] + bytes([self.random.randrange(256)]) + made[cut:]
        return made

    def scalar(self) -> str:
        if self.random.random() < 0.5:
            return self.random.choice(WORDS)
        if self.random.random() < 0.15:
            return self.random.choice(PHRASES)
        if self.random.random() < 0.4:
            return self.number()
        return "".join(self.random.choices(SCALAR_CHARACTERS, k=self.random.randint(1, 7)))

    def number(self) -> str:
        pick = self.random.random()
        if pick < 0.3:
            value = struct.unpack("d", struct.pack("Q", self.random.getrandbits(64)))[0]
            return format(value, self.random.choice(["", ".17g", ".6g", "e"]))
        if pick < 0.5:
            return str(self.random.randint(-(2 ** self.random.randint(1, 70)), 2 ** self.random.randint(1, 70)))
        if pick < 0.6:
            return repr(2.0 ** self.random.randint(-1074, 1023))
        if pick < 0.8:
            return f"{10 ** self.random.uniform(-12, 25):.{self.random.randint(1, 17)}g}"
        form = self.random.choice(["0x%x", "0o%o", "0%o", "-0x%X", "+%d", "%d.0", "%de0", "%d_000", ".%d", "%d."])
        return form % self.random.getrandbits(self.random.choice([4, 10, 53, 63, 64, 65]))

    def value(self, depth: int = 0) -> Any:
        pick = self.random.random()
        if depth < 4 and pick < 0.2:
            return {self.string(): self.value(depth + 1) for _ in range(self.random.randint(0, 4))}
        if depth < 4 and pick < 0.35:
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 4))]
        if pick < 0.7:
            return self.string()
        if pick < 0.8:
            return self.random.choice([None, True, False])
        if pick < 0.9:
            return self.random.randint(-(2**63), 2**63 - 1) >> self.random.randint(0, 63)
        value = struct.unpack("d", struct.pack("Q", self.random.getrandbits(64)))[0]
        return value if value - value == 0 else 0.5

    def string(self) -> str:
        if self.random.random() < 0.4:
            return self.random.choice(WORDS)
        return "".join(self.random.choices(TEXT_CHARACTERS, k=self.random.randint(0, 12)))

    def _scalars(self) -> str:
        lines = []
        for number in range(self.random.randint(1, 3)):
            one, two = self.scalar(), self.scalar()
            lines.append(
                self.random.choice(
                    [
                        f"  k{number}: {one}",
                        f"  {one}: {two}",
                        f"  k{number}: [{one}, {two}]",
                        f"  k{number}: {{{one}: {two}}}",
                        f"  k{number}:\n  - {one}\n  - {two}",
                        f"  ? {one}\n  : {two}",
                        f"  k{number}: {one} {two}",
                    ]
                )
            )
        return HEAD + "data:\n" + "\n".join(lines) + self.random.choice(["\n", ""])

    def _numbers(self) -> str:
        return HEAD + "spec:\n" + "".join(f"- {self.number()}\n" for _ in range(10)) + f"data: {{{self.number()}: x}}\n"

    def _structure(self) -> str:
        return HEAD + self.random.choice(["", "status: {a: 1}\n"]) + self._lines(0, 0)

    def _lines(self, indent: int, depth: int) -> str:
        blanks = " " * indent
        text = ""
        for number in range(self.random.randint(1, 3)):
            key = self.random.choice(["spec", "data", "a", f"k{number}", self.scalar()])
            pick = self.random.random()
            if depth < 3 and pick < 0.4:
                text += f"{blanks}{key}:\n{self._lines(indent + self.random.choice([2, 4]), depth + 1)}"
            elif depth < 3 and pick < 0.5:
                text += f"{blanks}{key}:\n{blanks}- {self._lines(indent + 2, depth + 1).lstrip(' ')}"
            else:
                text += f"{blanks}{key}: {self.scalar()}{self.random.choice(['', ' # c', ' ', chr(9)])}\n"
        return text

    def _dumped(self) -> str:
        data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": self.value()}
        if self.random.random() < 0.3:
            return json.dumps(data, ensure_ascii=self.random.random() < 0.5, indent=self.random.choice([None, 2]))
        text: str = yaml.dump(
            data,
            Dumper=yaml.SafeDumper,
            allow_unicode=self.random.random() < 0.5,
            default_flow_style=self.random.choice([None, True, False]),
            default_style=self.random.choice([None, None, "'", '"', "|", ">"]),
            width=self.random.choice([20, 80, 1000]),
            indent=self.random.choice([None, 2, 4]),
        )
        return text

    def _merges(self) -> str:
        pieces = [
            "x: &a {p: '1', q: '2'}\n",
            "z: &b {p: '3', <<: *a}\n",
            "data:\n  <<: *a\n  q: '9'\n",
            "data:\n  q: '9'\n  <<: *a\n",
            "w: {<<: [*a, *b], r: 1}\n",
            "w: {<<: [*b, {p: 5}], <<: *a}\n",
            "v: &a scalar\n",
            "u: [*a, *b, *a]\n",
            "t: {*a : 1}\n",
            "s: {<<: *s}\n",
            "r: &r {k: *r}\n",
            "o: &o [1.0, &n 1e6, *n]\nm: {*n : 1}\n",
            "l: {!!str << : 1, '<<': 2}\n",
            "j: {&k << : *a}\n",
            "i: {<<: }\n",
            "h: &h\ng: [*h]\n",
        ]
        return HEAD + "".join(self.random.choices(pieces, k=self.random.randint(1, 6)))

    def _blocks(self) -> str:
        style = self.random.choice("|>") + self.random.choice(["", "-", "+", "2", "1", "2-", "9"])
        lines = "".join(
            " " * self.random.choice([0, 2, 3, 4, 4, 4, 4, 6])
            + self.random.choice(["a", "b c", "", "---", "# x", "\t", "- x", "k: v", "...", "'", '"', "  "])
            + self.random.choice(["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\u2028", "\x85"])
            for _ in range(self.random.randint(0, 6))
        )
        quoted = self.random.choice(["'", '"'])
        multi = quoted + lines.replace(quoted, "").replace("\\", "") + quoted
        return HEAD + "data:\n" + self.random.choice([f"  k: {style}\n{lines}", f"  k: {multi}\n", f"  k: a\n{lines}"])

    def _json_stream(self) -> str:
        pieces = []
        for number in range(self.random.randint(1, 4)):
            data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"n{number}"}, "data": self.value()}
            text = json.dumps(data, ensure_ascii=self.random.random() < 0.5)
            if self.random.random() < 0.1:
                text = text.replace(
                    '"data": ', self.random.choice(['"data": -0, "x": ', '"data": 1e400, "x": ', "data: "])
                )
            if self.random.random() < 0.1:
                text = text.replace('"cm"', self.random.choice(['"\\ud800"', '"\\/"', "'x'"]))
            pieces.append(text + self.random.choice(["", " ", "\n", "\n\n", "\r\n", "\n---\n", "\n--- # c\n"]))
        return self.random.choice(["", "", " ", "\n", "\ufeff"]) + "".join(pieces)

    def _stream(self) -> str:
        pieces = []
        for _ in range(self.random.randint(1, 5)):
            pieces.append(
                self.random.choice(
                    [
                        HEAD,
                        HEAD + f"data: {{k: {self.scalar()}}}\n",
                        "# only a comment\n",
                        "null\n",
                        "~\n",
                        "{}\n",
                        "\n",
                        "a: 1\n",
                        "kind: List\napiVersion: v1\nitems:\n- {kind: A, apiVersion: v1, metadata: {name: a}}\n- 1\n",
                        "{kind: Namespace, apiVersion: v1, metadata: {name: foo}}\n",
                        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\n",
                        "%YAML 1.1\n",
                        "\ufeff" + HEAD,
                        "- 1\n",
                        "kind: X\nmetadata: [1]\n",
                    ]
                )
            )
            pieces.append(
                self.random.choice(
                    [
                        "---\n",
                        "---\n",
                        "---\r\n",
                        "--- # c\n",
                        "---  \n",
                        "...\n",
                        "...\n---\n",
                        "----\n",
                        "--- x\n",
                        "",
                    ]
                )
            )
        return self.random.choice(["", "---\n", "\ufeff"]) + "".join(pieces)

    def _mutated(self) -> str:
        text = self._makers[self.random.randrange(9)]()
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text) + 1)
            pick = self.random.random()
            if pick < 0.3:
                text = text[:at] + text[at + self.random.randint(1, 3) :]
            elif pick < 0.7:
                text = text[:at] + self.random.choice(SCALAR_CHARACTERS + "\n\r\t- :#") + text[at:]
            else:
                lines = text.split("\n")
                line = self.random.randrange(len(lines))
                lines.insert(self.random.randrange(len(lines) + 1), lines[line])
                text = "\n".join(lines)
        return text
