// What the element-wise kernels compute, as data: the statement for one element, by the class of arrays that it is for.
//
// `$a` is the element of operand a. An operand with a dtype of its own says so (`c:bool`); the others have the dtype of
// the row. A class without a statement has no rows. Functions that are called here are those of src/functions.ts.
//
// Statements are read by people and changed by the tests of the conformance kit, which look for each change.

/** The dtypes of a class. 16-bit floats and integers pass through blocks of float64 and int32: see src/stations.ts. */
export const CLASSES = {
  float: ["float32", "float64"],
  int: ["int32", "uint32"],
  wide: ["int64", "uint64"],
  bool: ["bool"],
};

const all = (text) => ({ float: text, int: text, wide: text });

const FROM_SLOPE = { before: "const slope = floats[0]!;" };
const FROM_ALPHA = { before: "const alpha = floats[0]!;" };

/** Kernels of two operands and a result: `[kernel, operands, statement by class]`. */
export const BINARY = [
  ["add", "r a b", { float: "$r = $a + $b;", int: "$r = $a + $b;", wide: "$r = wrap($a + $b);" }],
  ["sub", "r a b", { float: "$r = $a - $b;", int: "$r = $a - $b;", wide: "$r = wrap($a - $b);" }],
  // A product of two 32-bit integers does not fit in a float64: its low bits come from Math.imul.
  ["mul", "r a b", { float: "$r = $a * $b;", int: "$r = Math.imul($a, $b);", wide: "$r = wrap($a * $b);" }],
  ["div", "r a b", { float: "$r = $a / $b;" }],
  ["pow", "r a b", { float: "$r = power($a, $b);", int: "$r = intPower($a, $b);", wide: "$r = widePower($a, $b);" }],
  [
    "remainder",
    "r a b",
    { float: "$r = remainderOf($a, $b);", int: "$r = intRemainder($a, $b);", wide: "$r = wideRemainder($a, $b);" },
  ],
  [
    "minimum",
    "r a b",
    {
      float: "$r = Math.min($a, $b);",
      int: "const x = $a;\nconst y = $b;\n$r = x < y ? x : y;",
      wide: "const x = $a;\nconst y = $b;\n$r = x < y ? x : y;",
    },
  ],
  [
    "maximum",
    "r a b",
    {
      float: "$r = Math.max($a, $b);",
      int: "const x = $a;\nconst y = $b;\n$r = x > y ? x : y;",
      wide: "const x = $a;\nconst y = $b;\n$r = x > y ? x : y;",
    },
  ],
  ["reluBackward", "r g y", { float: "$r = $y > 0 ? $g : 0;" }],
];

/** Kernels whose result is bool. `gt` and `ge` are `lt` and `le` of the operands turned round. */
export const COMPARISONS = [
  ["eq", "r:bool a b", { ...all("$r = $a === $b ? 1 : 0;"), bool: "$r = $a === $b ? 1 : 0;" }],
  ["ne", "r:bool a b", { ...all("$r = $a !== $b ? 1 : 0;"), bool: "$r = $a !== $b ? 1 : 0;" }],
  ["lt", "r:bool a b", { ...all("$r = $a < $b ? 1 : 0;"), bool: "$r = $a < $b ? 1 : 0;" }],
  ["le", "r:bool a b", { ...all("$r = $a <= $b ? 1 : 0;"), bool: "$r = $a <= $b ? 1 : 0;" }],
  ["logicalAnd", "r a b", { bool: "$r = $a !== 0 && $b !== 0 ? 1 : 0;" }],
  ["logicalOr", "r a b", { bool: "$r = $a !== 0 || $b !== 0 ? 1 : 0;" }],
  ["logicalXor", "r a b", { bool: "$r = ($a !== 0) !== ($b !== 0) ? 1 : 0;" }],
  ["logicalNot", "r a", { bool: "$r = $a === 0 ? 1 : 0;" }],
  ["isNaN", "r:bool a", { float: "const x = $a;\n$r = x !== x ? 1 : 0;" }],
  ["isFinite", "r:bool a", { float: "const x = $a;\n$r = x - x === 0 ? 1 : 0;" }],
  ["isInfinite", "r:bool a", { float: "const x = $a;\n$r = x === Infinity || x === -Infinity ? 1 : 0;" }],
];

/** Kernels of one operand. */
export const UNARY = [
  ["neg", "r a", { float: "$r = -$a;", int: "$r = -$a;", wide: "$r = wrap(-$a);" }],
  [
    "abs",
    "r a",
    {
      float: "$r = Math.abs($a);",
      int: "const x = $a;\n$r = x < 0 ? -x : x;",
      wide: "const x = $a;\n$r = x < 0n ? wrap(-x) : x;",
    },
  ],
  [
    "sign",
    "r a",
    {
      float: "const x = $a;\n$r = x > 0 ? 1 : x < 0 ? -1 : x;",
      int: "const x = $a;\n$r = x > 0 ? 1 : x < 0 ? -1 : 0;",
      wide: "const x = $a;\n$r = x > 0n ? 1n : x < 0n ? -1n : 0n;",
    },
  ],
  ["relu", "r a", { float: "const x = $a;\n$r = x < 0 ? 0 : x;" }],
  ["leakyRelu", "r a", { float: "const x = $a;\n$r = x < 0 ? slope * x : x;" }, FROM_SLOPE],
  ["elu", "r a", { float: "const x = $a;\n$r = x > 0 ? x : alpha * Math.expm1(x);" }, FROM_ALPHA],
  ["exp", "r a", { float: "$r = Math.exp($a);" }],
  ["expm1", "r a", { float: "$r = Math.expm1($a);" }],
  ["log", "r a", { float: "$r = Math.log($a);" }],
  ["log1p", "r a", { float: "$r = Math.log1p($a);" }],
  ["sqrt", "r a", { float: "$r = Math.sqrt($a);" }],
  ["rsqrt", "r a", { float: "$r = 1 / Math.sqrt($a);" }],
  ["reciprocal", "r a", { float: "$r = 1 / $a;" }],
  ["sin", "r a", { float: "$r = Math.sin($a);" }],
  ["cos", "r a", { float: "$r = Math.cos($a);" }],
  ["tanh", "r a", { float: "$r = Math.tanh($a);" }],
  ["sigmoid", "r a", { float: "$r = sigmoidOf($a);" }],
  ["silu", "r a", { float: "const x = $a;\n$r = x * sigmoidOf(x);" }],
  ["softplus", "r a", { float: "const x = $a;\n$r = Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));" }],
  ["erf", "r a", { float: "$r = erfOf($a);" }],
  ["gelu", "r a", { float: "$r = geluOf($a);" }],
  ["geluTanh", "r a", { float: "$r = geluTanhOf($a);" }],
  ["floor", "r a", { float: "$r = Math.floor($a);" }],
  ["ceil", "r a", { float: "$r = Math.ceil($a);" }],
  ["round", "r a", { float: "$r = roundToEven($a);" }],
  ["trunc", "r a", { float: "$r = Math.trunc($a);" }],
];

const CHOOSE = "$r = $c !== 0 ? $a : $b;";
const LIMIT = "const x = $a;\nconst y = x < $l ? $l : x;\n$r = y > $h ? $h : y;";

/** Kernels of three operands and a result. */
export const TERNARY = [
  ["where", "r c:bool a b", { ...all(CHOOSE), bool: CHOOSE }],
  ["clamp", "r a l h", { float: "$r = Math.min(Math.max($a, $l), $h);", int: LIMIT, wide: LIMIT }],
];
