// Loops that bring a run of elements into a block of float64 or int32, and out of it.
import { arrayOf, functionName, read, written } from "../text.mjs";

export const title = "Rows into and out of blocks.";

const BLOCKS = {
  Float64Array: ["float32", "float64", "float16", "bfloat16"],
  Int32Array: ["int8", "uint8", "int16", "uint16", "int32", "bool"],
};

const load = (block, dtype) => `function ${functionName("load", dtype)}(
  n: number,
  block: ${block},
  a: ${arrayOf(dtype)},
  ao: number,
  as: number,
): void {
  for (let i = 0; i < n; i++) {
    block[i] = ${read(dtype, "a[ao]!")};
    ao += as;
  }
}
`;

const store = (block, dtype) => `function ${functionName("store", dtype)}(
  n: number,
  block: ${block},
  r: ${arrayOf(dtype)},
  ro: number,
  rs: number,
): void {
  for (let i = 0; i < n; i++) {
    r[ro] = ${written(dtype, "block[i]!")};
    ro += rs;
  }
}
`;

const each = (text) => Object.entries(BLOCKS).flatMap(([block, dtypes]) => dtypes.map((dtype) => text(block, dtype)));
const table = (name) => `export const ${name}Rows: RowTable<BlockRow> = {
${each((_, dtype) => `  ${dtype}: ${functionName(name, dtype)} as BlockRow,`).join("\n")}
};
`;

export const family = () => [...each(load), table("load"), ...each(store), table("store")].join("\n");
