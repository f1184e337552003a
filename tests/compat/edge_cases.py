"""Our own golden documents: text near the edges of the rules, whose answers the oracle gives in the tests."""

from __future__ import annotations

from tests.compat.generating import HEAD

_DATA = {
    "block scalars": "data:\n  a: |+\n    x\n\n  b: >-\n    y\n    z\n\n    w\n  c: |2\n      v\n",
    "block scalar without last newline": "data:\n  a: |\n    x",
    "carriage returns": 'data:\r\n  a: |\r\n    x\r\n  b: "y\r\n    z"\r\n',
    "lone carriage return": "data:\n  a: x\r  b: y\n",
    "next line and separators": 'data: {a: "x\x85  y", b: "\\N\\L\\P\\_", c: \xa0}\n',
    "old escapes": 'data: {a: "it\\\'s", b: "\\a\\b\\e\\f\\v\\0\\x41\\u00e9\\U0001F600"}\n',
    "escaped slash": 'data: {a: "\\/"}\n',
    "surrogate escape": 'data: {a: "\\ud800"}\n',
    "html": "data: {a: '<a href=\"x\">&amp;</a>', '<b>': 1}\n",
    "merge overrides earlier key": "x: &b {p: '1', q: '2'}\ndata: {q: '9', <<: *b}\n",
    "merge overridden by later key": "x: &b {p: '1', q: '2'}\ndata: {<<: *b, q: '9'}\n",
    "merge list": "x: &b {p: '1'}\nz: &c {p: '2', r: '3'}\ndata: {<<: [*b, *c]}\n",
    "merge of null": "data: {<<: }\n",
    "merge of alias to list": "x: &l [{a: 1}]\ndata: {<<: *l}\n",
    "quoted merge key": "data: {'<<': {a: 1}, !!str <<: 2}\n",
    "anchor redefined": "a: &x 1\nb: &x 2\nc: *x\n",
    "anchor redefined inside": "a: &x {b: &x 1}\nc: *x\n",
    "anchor unknown": "a: *x\n",
    "anchor in itself": "a: &x [*x]\n",
    "anchored key": "a: {&k 1.0: x, *k : y}\n",
    "null key": "data: {~: x}\n",
    "uint64 key": "data: {18446744073709551615: x}\n",
    "float keys": "data: {1.10: a, 1e6: b, 123456.0: c, 16777217.5: d, 1e39: e, .nan: f, -0.0: g, 2342205.25: h}\n",
    "int keys": "data: {0x1F: a, 0755: b, 1_000: c, 0b11: d, -0o17: e}\n",
    "bool keys": "data: {on: a, No: b}\n",
    "set and ordered map": "data: !!set {a, b}\nspec: !!omap [a: 1]\n",
    "binary": "data: {a: !!binary aGVsbG8=, b: !!binary /+8=, c: !!binary ''}\n",
    "bad binary": "data: {a: !!binary x}\n",
    "timestamps": "data: {a: !!timestamp 2024-01-02, b: !!timestamp '2001-12-14 21:59:43', c: 2024-01-02}\n",
    "bad timestamp": "data: {a: !!timestamp 2024-13-02}\n",
    "tags": "data: {a: !foo 123, b: ! 123, c: ! '123', d: !!float 3, e: !!bool 'on', f: !!null '', g: !!str ~}\n",
    "int tag of float": "data: {a: !!int 1.5}\n",
    "infinity": "data: {a: .inf}\n",
    "colons": "data: {a: b:c, 'd':e, f: http://x/y, g: 1:30}\n",
    "question mark in flow": "data: {a: b?}\n",
    "question mark in block": "data:\n  a: b?\n  ?c: d\n",
    "comment after value": "data:\n  a: b # c\n  d: e#f\n",
    "tabs": "data:\n  a:\tb\t\n  c: d \t# e\n",
    "tab indent": "data:\n\ta: b\n",
    "nul in string": 'data: {a: "\\0"}\n',
    "byte order mark in value": 'data: {a: "\ufeff"}\n',
    "metadata of server": "status: {a: 1}\nspec: {status: 1, metadata: {uid: x}}\n",
    "all powers of two": "spec:\n" + "".join(f"- {2.0**power!r}\n" for power in range(-1074, 1024)),
    "all powers of ten": "spec:\n" + "".join(f"- 1e{power}\n- 9.99e{power}\n" for power in range(-330, 310)),
    "integers around powers": "spec:\n"
    + "".join(f"- {2**p + d}\n- -{2**p + d}\n" for p in range(66) for d in (-1, 0, 1)),
}

_STREAMS = {
    "byte order mark": "\ufeff" + HEAD,
    "two byte order marks": "\ufeff\ufeff" + HEAD,
    "separators": "---\n---\n" + HEAD + "--- # c\n" + HEAD + "---  \t\n\n---\n# c\n---\nnull\n---\n~",
    "separator and text": HEAD + "---x\n",
    "separator in quotes": HEAD + 'data: {a: "x\n---\ny"}\n',
    "directive": "%YAML 1.1\n---\n" + HEAD,
    "document end": HEAD + "...\n---\n" + HEAD,
    "scalar document": "hello\n",
    "list document": "- a\n",
    "no kind": "a: 1\n---\n{}\n---\n" + HEAD,
    "kind null": "kind: null\napiVersion: v1\n",
    "metadata list": "kind: A\nmetadata: [a]\n",
    "List": "kind: List\nitems:\n- {kind: A, apiVersion: g/v1, metadata: {name: a}}\n- 1\n- null\n",
    "definition first": HEAD + "---\nkind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n",
    "JSON": '{"kind":"A","a":-0,"b":1E2,"c":9007199254740993,"d":"\\ud800\\/"}\n{"kind":"B","x":"\x7f"}',
    "JSON then YAML": '{"kind":"A"}\n---\nkind: B\n',
    "JSON then more JSON then YAML": '{"kind":"A"}{"kind":"B"}\n---\nkind: C\n',
    "JSON with a huge number": '{"kind":"A","a":1e400}',
    "JSON with a repeated key": '{"kind":"A","a":{"x":1,"x":2}}',
    "JSON constants": '{"kind":"A","a":NaN}',
    "flow that is no JSON": "{kind: A, metadata: {name: a}}\n---\n{kind: B}\n",
}

EDGE_CASES: dict[str, bytes] = {
    **{name: (HEAD + text).encode() for name, text in _DATA.items()},
    **{name: text.encode() for name, text in _STREAMS.items()},
    "invalid UTF-8": HEAD.encode() + b"data: {a: \xff}\n",
    "invalid UTF-8 in JSON": b'{"kind":"A","a":"\xff\xe2\x82"}',
    "control character": HEAD.encode() + b"data: {a: \x07}\n",
    "excessive aliases": (HEAD + "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n").encode()
    + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a" + (b"%d" % (n - 1) if n else b"")] * 10)) for n in range(8)
    ),
}
