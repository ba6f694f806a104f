// Loops that bring a line of elements into working memory, and back.
import { ARRAY, FLOATS, functionName, HALVES, INTEGERS, isWide, table } from "../text.mjs";

export const title = "Lines of elements, in and out of working memory.";

function line(kernel, dtype, memory, statement, parameter = "") {
  return `function ${functionName(kernel, dtype)}(
  n: number,
  held: ${memory},
  a: ${ARRAY[dtype] ?? "Uint16Array"},
  ao: number,
  as: number,${parameter}
): void {
  for (let i = 0; i < n; i++) {
    ${statement}
    ao += as;
  }
}
`;
}

function load(dtype) {
  const convert = HALVES[dtype]?.[0] ?? (isWide(dtype) ? "Number" : undefined);
  return line("load", dtype, "Float64Array", `held[i] = ${convert === undefined ? "a[ao]!" : `${convert}(a[ao]!)`};`);
}

function unload(dtype) {
  const convert = HALVES[dtype]?.[1];
  return line(
    "unload",
    dtype,
    "Float64Array",
    `a[ao] = ${convert === undefined ? "held[i]!" : `${convert}(held[i]!)`};`,
  );
}

const flip = "\n  flip: bigint,";
const loadWide = (dtype) =>
  line("loadWide", dtype, "BigInt64Array", `held[i] = ${isWide(dtype) ? "a[ao]!" : "BigInt(a[ao]!)"} ^ flip;`, flip);
const unloadWide = (dtype) => line("unloadWide", dtype, "BigInt64Array", "a[ao] = held[i]! ^ flip;", flip);

/** A part of the table of loads, for kernels that take no others. */
function part(name, dtypes) {
  return table("load", "LoadRow", dtypes).replace("loadRows", `${name}Rows`);
}

export function family() {
  const floats = [...FLOATS, ...Object.keys(HALVES)];
  const all = [...floats, ...INTEGERS, "bool"];
  const narrow = all.filter((dtype) => !isWide(dtype));
  const integers = [...INTEGERS, "bool"];
  const wide = INTEGERS.filter(isWide);
  return [
    ...all.map(load),
    table("load", "LoadRow", all),
    part("number", [...floats, ...INTEGERS]),
    part("float", floats),
    ...narrow.map(unload),
    table("unload", "LoadRow", narrow),
    ...integers.map(loadWide),
    table("loadWide", "WideLoadRow", integers),
    ...wide.map(unloadWide),
    table("unloadWide", "WideLoadRow", wide),
  ].join("\n");
}
