import { type AllocateOptions, BufferPool, type DataBuffer } from "@sw/buffer";
import { withScope } from "@sw/tensor/seam";

/** A pool that counts the bytes that are out, and the most that were. */
export class Counting extends BufferPool {
  bytes = 0;
  peak = 0;
  /** What was asked for, in order. */
  readonly asked: number[] = [];

  override allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    const buffer = super.allocate(byteLength, options);
    this.asked.push(byteLength);
    this.bytes += byteLength;
    this.peak = Math.max(this.peak, this.bytes);
    return buffer;
  }

  override reclaim(buffer: DataBuffer): void {
    this.bytes -= buffer.byteLength;
    super.reclaim(buffer);
  }

  /** Runs a function with this memory in force, and gives the most bytes that it had out beyond those at its start. */
  peakOf(fn: () => void): number {
    const before = this.bytes;
    this.peak = before;
    this.run(fn);
    return this.peak - before;
  }

  run<T>(fn: () => T): T {
    return withScope({ memory: this }, () => fn() as never) as T;
  }
}
