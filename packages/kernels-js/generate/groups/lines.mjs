// Loops that bring a line of elements into working memory, and back.
import { ALL_FLOATS, arrayOf, functionName, INTEGERS, isWide, read, table, written } from "../text.mjs";

export const title = "Lines of elements, in and out of working memory.";

function line(kernel, dtype, memory, statement, parameter = "") {
  return `function ${functionName(kernel, dtype)}(
  n: number,
  held: ${memory},
  a: ${arrayOf(dtype)},
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

const load = (dtype) =>
  line("load", dtype, "Float64Array", `held[i] = ${isWide(dtype) ? "Number(a[ao]!)" : read(dtype, "a[ao]!")};`);
const unload = (dtype) => line("unload", dtype, "Float64Array", `a[ao] = ${written(dtype, "held[i]!")};`);

const flip = "\n  flip: bigint,";
const loadWide = (dtype) =>
  line("loadWide", dtype, "BigInt64Array", `held[i] = ${isWide(dtype) ? "a[ao]!" : "BigInt(a[ao]!)"} ^ flip;`, flip);
const unloadWide = (dtype) => line("unloadWide", dtype, "BigInt64Array", "a[ao] = held[i]! ^ flip;", flip);

/** A part of the table of loads, for kernels that take no others. */
function part(name, dtypes) {
  return table("load", "LoadRow", dtypes).replace("loadRows", `${name}Rows`);
}

export function family() {
  const all = [...ALL_FLOATS, ...INTEGERS, "bool"];
  const narrow = all.filter((dtype) => !isWide(dtype));
  const integers = [...INTEGERS, "bool"];
  const wide = INTEGERS.filter(isWide);
  return [
    ...all.map(load),
    table("load", "LoadRow", all),
    part("number", [...ALL_FLOATS, ...INTEGERS]),
    part("float", ALL_FLOATS),
    ...narrow.map(unload),
    table("unload", "LoadRow", narrow),
    ...integers.map(loadWide),
    table("loadWide", "WideLoadRow", integers),
    ...wide.map(unloadWide),
    table("unloadWide", "WideLoadRow", wide),
  ].join("\n");
}
