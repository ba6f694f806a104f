import type { Operand } from "@sw/tensor/seam";

/** The lists of a call. */
export interface Lists {
  readonly outputs: readonly Operand[];
  readonly inputs: readonly Operand[];
  readonly ints: readonly number[];
  readonly floats: readonly number[];
}

/** Operand records and lists that are handed over at every call anew, as the seam may do. */
export interface Records {
  /** Makes the records say what a call's say. Those that were lent before are the same objects. */
  lend(lists: Lists): Lists;
  /** Makes all that was lent say nothing that could be used: who kept it finds out. */
  poison(): void;
}

/** What nobody may read: a place before the data, and no loops. */
const NONSENSE = -(2 ** 30);

type Writable = { -readonly [K in keyof Operand]: Operand[K] } & { shape: number[]; strides: number[] };

/** Makes a set of records that are used again and again. */
export function createRecords(): Records {
  const outputs: Operand[] = [];
  const inputs: Operand[] = [];
  const ints: number[] = [];
  const floats: number[] = [];
  const pools = new Map<Operand[], Writable[]>([
    [outputs, []],
    [inputs, []],
  ]);
  const fillAll = (list: Operand[], from: readonly Operand[]): void => {
    const pool = pools.get(list)!;
    list.length = 0;
    from.forEach((operand, i) => {
      pool[i] ??= { ...operand, shape: [], strides: [] };
      list.push(become(pool[i]!, operand));
    });
  };
  return {
    lend(lists: Lists): Lists {
      fillAll(outputs, lists.outputs);
      fillAll(inputs, lists.inputs);
      ints.splice(0, ints.length, ...lists.ints);
      floats.splice(0, floats.length, ...lists.floats);
      return { outputs, inputs, ints, floats };
    },
    poison(): void {
      for (const record of [...outputs, ...inputs] as Writable[]) {
        record.offset = NONSENSE;
        record.shape.fill(NONSENSE);
        record.strides.fill(NONSENSE);
      }
      ints.fill(NONSENSE);
      floats.fill(Number.NaN);
    },
  };
}

function become(record: Writable, operand: Operand): Operand {
  record.dtype = operand.dtype;
  record.data = operand.data;
  record.offset = operand.offset;
  record.shape.splice(0, record.shape.length, ...operand.shape);
  record.strides.splice(0, record.strides.length, ...operand.strides);
  return record;
}
