// From formulas to the text of rows.
import { CLASSES } from "./formulas.mjs";
import { loop } from "./loop.mjs";
import { functionName } from "./text.mjs";

/** The dtypes whose elements pass through blocks of another dtype, and the dtype of these: see src/stations.ts. */
export const STATIONS = {
  float16: "float64",
  bfloat16: "float64",
  int8: "int32",
  uint8: "int32",
  int16: "int32",
  uint16: "int32",
};

/** The table of a kernel's rows, those through stations among them. */
export function stagedTable(kernel, type, dtypes) {
  const rows = dtypes.map((dtype) => [dtype, dtype]);
  for (const [dtype, station] of Object.entries(STATIONS)) if (dtypes.includes(station)) rows.push([dtype, station]);
  const entries = rows.map(([dtype, row]) => `  ${dtype}: ${functionName(kernel, row)} as ${type},`);
  return `export const ${kernel}Rows: RowTable<${type}> = {\n${entries.join("\n")}\n};\n`;
}

const TYPES = ["TwoRow", "ThreeRow", "FourRow"];

/** The rows of the kernels of a list, and their tables. */
export function rowsOf(kernels) {
  return kernels
    .map(([kernel, operands, statements, options = {}]) => {
      const names = operands.split(" ");
      const attributes = options.before === undefined ? "" : "_ints: readonly number[],\nfloats: readonly number[],";
      const classes = Object.entries(statements).flatMap(([one, body]) => CLASSES[one].map((dtype) => [dtype, body]));
      return [
        ...classes.map(([dtype, body]) =>
          loop(kernel, dtype, names, body, { before: options.before ?? "", attributes }),
        ),
        stagedTable(
          kernel,
          TYPES[names.length - 2],
          classes.map(([dtype]) => dtype),
        ),
      ].join("\n");
    })
    .join("\n");
}
