import { getHeapStatistics } from "node:v8";

/** What reading an input cost. */
export interface Cost {
  /** Fields read one by one, by a `DataView`. */
  readonly steps: number;
  /** Bytes that the heap and the buffers beside it grew by; less where a collection came in between. */
  readonly bytes: number;
}

const GETTERS = ["Uint8", "Uint16", "Uint32", "Int32", "BigUint64", "BigInt64", "Float32", "Float64"] as const;

/** Counts what reading costs while it is installed: work by fields read, not by a clock, and memory that was taken. */
export class Meter {
  steps = 0;
  readonly originals = GETTERS.map(
    (name) =>
      [`get${name}`, DataView.prototype[`get${name}`] as (at: number, little?: boolean) => number | bigint] as const,
  );

  install(): void {
    const meter = this;
    for (const [name, original] of this.originals) {
      Object.defineProperty(DataView.prototype, name, {
        configurable: true,
        writable: true,
        value: function counted(this: DataView, at: number, little?: boolean): number | bigint {
          meter.steps += 1;
          return original.call(this, at, little);
        },
      });
    }
  }

  uninstall(): void {
    for (const [name, value] of this.originals) {
      Object.defineProperty(DataView.prototype, name, { configurable: true, writable: true, value });
    }
  }

  async cost(run: () => void | Promise<void>): Promise<Cost> {
    this.steps = 0;
    const before = taken();
    await run();
    return { steps: this.steps, bytes: taken() - before };
  }
}

function taken(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
