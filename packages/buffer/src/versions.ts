import type { DataBuffer } from "./data-buffer.js";

/** A buffer as a handle remembers it; tensors and `BufferHandle`s are such handles. @since 0.1.0 */
export interface BufferRef {
  readonly buffer: DataBuffer;
  /** The generation that the buffer was handed out in. */
  readonly generation: number;
}

/** The versions of several buffers at one moment; made by `snapshotVersions`. @since 0.1.0 */
export class VersionSnapshot {
  readonly handles: readonly BufferRef[];
  readonly versions: readonly number[];

  constructor(handles: readonly BufferRef[]) {
    this.handles = handles;
    this.versions = handles.map(({ buffer }) => buffer.version);
  }

  /** Finds the first handle whose buffer was written, released or reset since, by its position; -1 when all are as they were. */
  firstChanged(): number {
    const { versions } = this;
    return this.handles.findIndex(
      ({ buffer, generation }, i) => !buffer.isLive(generation) || buffer.version !== versions[i],
    );
  }
}

/**
 * Remembers the versions of several buffers, to tell later whether any was written in between.
 *
 * @throws StaleBufferError `SW_BUFFER_STALE` for a handle whose buffer is another's by now.
 * @example
 * ```ts
 * import { BufferHandle, BufferPool, snapshotVersions } from "@sw/buffer";
 * const pool = new BufferPool();
 * const [a, b] = [new BufferHandle(pool.allocate(8)), new BufferHandle(pool.allocate(8))];
 * const saved = snapshotVersions([a, b]);
 * b.beginWrite();
 * console.log(saved.firstChanged()); // 1
 * ```
 * @since 0.1.0
 */
export function snapshotVersions(handles: readonly BufferRef[]): VersionSnapshot {
  const own = handles.map(({ buffer, generation }) => ({ buffer, generation }));
  for (const { buffer, generation } of own) buffer.checkLive(generation, "snapshotVersions");
  return new VersionSnapshot(own);
}
