// What the templates share: dtypes, names, tables.

/** The typed array of each dtype that arithmetic has loops of its own for, in the order of the ONNX codes. */
export const ARRAY = {
  float32: "Float32Array",
  uint8: "Uint8Array",
  int8: "Int8Array",
  uint16: "Uint16Array",
  int16: "Int16Array",
  int32: "Int32Array",
  int64: "BigInt64Array",
  bool: "Uint8Array",
  float64: "Float64Array",
  uint32: "Uint32Array",
  uint64: "BigUint64Array",
};
/** What reads a 16-bit float as a number, and what makes one of a number by one rounding. */
export const HALVES = {
  float16: ["halfToNumber", "numberToHalf"],
  bfloat16: ["bfloat16ToNumber", "numberToBfloat16"],
};
export const FLOATS = ["float32", "float64"];
export const ALL_FLOATS = [...FLOATS, ...Object.keys(HALVES)];
export const INTEGERS = ["uint8", "int8", "uint16", "int16", "int32", "int64", "uint32", "uint64"];
export const isWide = (dtype) => dtype === "int64" || dtype === "uint64";

/** The typed array of any dtype: a 16-bit float is kept as its bits. */
export const arrayOf = (dtype) => ARRAY[dtype] ?? "Uint16Array";
/** An element as a number, and what is kept of a number, rounded once. */
export const read = (dtype, x) => (HALVES[dtype] === undefined ? x : `${HALVES[dtype][0]}(${x})`);
export const written = (dtype, x) => (HALVES[dtype] === undefined ? x : `${HALVES[dtype][1]}(${x})`);

const capital = (word) => word[0].toUpperCase() + word.slice(1);
export const functionName = (kernel, dtype) => kernel + capital(dtype);
export const indent = (text, by) =>
  text
    .split("\n")
    .map((line) => (line === "" ? line : " ".repeat(by) + line))
    .join("\n");

/** The table of a kernel's loops by dtype. */
export function table(kernel, type, dtypes) {
  const rows = dtypes.map((dtype) => `  ${dtype}: ${functionName(kernel, dtype)} as ${type},`);
  return `export const ${kernel}Rows: RowTable<${type}> = {\n${rows.join("\n")}\n};\n`;
}
